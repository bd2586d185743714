import { expect, onTestFinished, test } from 'vitest';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { DEFAULT_CREDENTIAL } from '../../src/market/defaults.ts';
import type { LogExtension } from '../../src/requests/log-extension.ts';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Follower } from '../../src/sandbox/tool.ts';
import { BLANK_ENTRY } from '../support/blank-entry.ts';

/** A sandbox whose log has an extension with a table of its own. */
async function extended(own: Partial<LogExtension> = {}, runtime = systemRuntime) {
  const extension: LogExtension = {
    opened: ({ client }) =>
      void client.exec('CREATE TABLE IF NOT EXISTS notes (after INTEGER, text TEXT)'),
    prune: (_log, last) => last,
    clear: ({ client }) => void client.exec('DELETE FROM notes'),
    lost: () => {},
    closing: () => {},
    ...own,
  };
  const follower: Follower = { extendLog: (_world, log) => log.extend(extension) };
  const tools = [{ name: 'notes', follow: async () => follower }];
  const reported: unknown[] = [];
  const sandbox: Sandbox = await openSandbox({
    inventory: 5,
    requestLog: 100,
    runtime,
    tools,
    report: (error) => reported.push(error),
  });
  onTestFinished(() => sandbox.close());
  const log = sandbox.requests.of(sandbox.worlds.require('default'));
  const note = (text: string) =>
    log.push({
      write: ({ client }, { after, redact }) =>
        void client.prepare('INSERT INTO notes VALUES (?, ?)').run(after, redact(text)),
    });
  const read = (sql: string) => log.store.client.prepare(sql).raw().all();
  return { log, note, read, reported };
}

test('what an extension keeps is stored in its turn, without secrets, and cleared with the log', async () => {
  const { log, note, read } = await extended();
  log.append(BLANK_ENTRY);
  note(`signed with ${DEFAULT_CREDENTIAL.secret}`);
  log.append(BLANK_ENTRY);
  note('second');
  expect(read('SELECT after, text FROM notes')).toEqual([
    [1, expect.stringMatching(/^signed with (?!.*not_a_secret)/)],
    [2, 'second'],
  ]);
  log.clear();
  expect(read('SELECT after FROM notes')).toEqual([]);
  expect(read('SELECT seq FROM requests')).toEqual([]);
});

test('entries that an extension needs stay, and are not listed; others go a few at a time', async () => {
  let unneeded = 0;
  const { log, read } = await extended({ prune: () => unneeded });
  const fill = () => {
    for (let n = 1; n <= 600; n += 1) {
      log.append(BLANK_ENTRY);
      if (n % 100 === 0) log.flush();
    }
  };
  fill();
  expect(read('SELECT count(*) FROM requests')).toEqual([[600]]);
  expect(log.list({}, { limit: 1_000 })).toHaveLength(100);
  unneeded = 400;
  fill();
  expect(read('SELECT min(seq), count(*) FROM requests')).toEqual([[401, 800]]);
});

test('a reset keeps entries for the history, and lists none of them', async () => {
  const { log, read } = await extended();
  log.append(BLANK_ENTRY);
  log.startOver();
  expect(log.list({}, { limit: 10 })).toEqual([]);
  expect(read('SELECT count(*) FROM requests')).toEqual([[1]]);
});

test('of constant load, the log takes 10,000 entries at once and 1,000 a second', async () => {
  let lost = 0;
  let ms = 0;
  const runtime = { ...systemRuntime, monotonic: () => ms };
  const { log, read } = await extended({ lost: () => (lost += 1) }, runtime);
  const appended = (entries: number) => {
    const lastSeq = () => Number(read('SELECT max(seq) FROM requests').flat()[0] ?? 0);
    const before = lastSeq();
    for (let n = 0; n < entries; n += 1) log.append(BLANK_ENTRY);
    log.flush();
    return lastSeq() - before;
  };
  expect(appended(10_500)).toBe(10_000);
  expect(lost).toBe(500);
  expect(log.hasRoom).toBe(false);
  ms += 1_000;
  expect(appended(2_500)).toBe(1_000);
  ms += 60_000;
  expect(log.hasRoom).toBe(true);
  expect(appended(10_500)).toBe(10_000);
  expect(read('SELECT max(seq) FROM requests')).toEqual([[21_000]]);
});

test('an extension is told of what is dropped because it cannot be written', async () => {
  let lost = 0;
  const { log, note, read, reported } = await extended({ lost: () => (lost += 1) });
  note('first');
  read('SELECT 1');
  log.append(BLANK_ENTRY);
  log.push({
    write: () => {
      throw new Error('broken');
    },
  });
  await expect.poll(() => reported).toEqual([new Error('broken')]);
  expect(lost).toBe(1);
  log.append(BLANK_ENTRY);
  note('second');
  expect(read('SELECT seq FROM requests')).toEqual([[2]]);
  expect(read('SELECT text FROM notes')).toEqual([['first'], ['second']]);
});

test('an entry that cannot be redacted is reported and left out, and costs no other', async () => {
  const { log, read, reported } = await extended();
  log.append(BLANK_ENTRY);
  log.append({ ...BLANK_ENTRY, headers: null as never });
  log.append(BLANK_ENTRY);
  expect(read('SELECT seq FROM requests')).toEqual([[1], [3]]);
  expect(reported).toEqual([expect.any(TypeError)]);
});

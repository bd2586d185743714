import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_CREDENTIAL } from '../../src/market/defaults.ts';
import type { LogExtension } from '../../src/requests/log-extension.ts';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Follower } from '../../src/sandbox/tool.ts';
import { BLANK_ENTRY } from '../support/blank-entry.ts';

const HEAD = { method: 'GET', body: { bytes: 0 }, responseHeaders: [], steps: [] };
const ENTRY = { ...BLANK_ENTRY, head: JSON.stringify(HEAD) };

/** A sandbox whose log has an extension with a table of its own. */
async function extended(own: Partial<LogExtension> = {}) {
  const extension: LogExtension = {
    opened: ({ client }) =>
      void client.exec('CREATE TABLE IF NOT EXISTS notes (after INTEGER, text TEXT)'),
    prune: (_log, last) => last,
    clear: ({ client }) => void client.exec('DELETE FROM notes'),
    committed: () => {},
    closing: () => {},
    closed: () => Promise.resolve(),
    ...own,
  };
  const follower: Follower = { extendLog: (_world, log) => log.extend(extension) };
  const tools = [{ name: 'notes', follow: async () => follower }];
  const sandbox: Sandbox = await openSandbox({ inventory: 5, requestLog: 100, tools });
  onTestFinished(() => sandbox.close());
  const log = sandbox.requests.of(sandbox.worlds.require('default'));
  const note = (text: string, dropped = () => {}) =>
    log.push({
      size: text.length,
      write: ({ client }, { after, redact }) =>
        void client.prepare('INSERT INTO notes VALUES (?, ?)').run(after, redact(text)),
      dropped,
    });
  const read = (sql: string) => log.store.client.prepare(sql).raw().all();
  return { log, note, read };
}

test('what an extension keeps is stored in its turn, without secrets, and cleared with the log', async () => {
  const { log, note, read } = await extended();
  log.append(ENTRY);
  note(`signed with ${DEFAULT_CREDENTIAL.secret}`);
  log.append(ENTRY);
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
    for (let n = 0; n < 600; n += 1) log.append(ENTRY);
    log.flush();
  };
  fill();
  expect(read('SELECT count(*) FROM requests')).toEqual([[600]]);
  expect(log.list({}, { limit: 1_000 })).toHaveLength(100);
  unneeded = 400;
  fill();
  expect(read('SELECT min(seq), count(*) FROM requests')).toEqual([[401, 800]]);
});

test('a reset keeps entries that an extension may need, and lists none of them', async () => {
  const { log, read } = await extended();
  log.append(ENTRY);
  log.startOver();
  expect(log.list({}, { limit: 10 })).toEqual([]);
  expect(read('SELECT count(*) FROM requests')).toEqual([[1]]);
});

test('an extension is told of what is dropped because it comes faster than it is stored', async () => {
  const { log, note } = await extended();
  let lost = 0;
  note('first', () => (lost += 1));
  for (let n = 0; n < 10_200; n += 1) log.append({ ...ENTRY, dropped: () => (lost += 1) });
  expect(lost).toBe(200);
});

import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { CreateSandboxOptions } from '../../../src/index.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { WORKER } from '../../../src/market/inventory/seed-database.ts';
import { seedInventory } from '../../../src/market/inventory/seed-inventory.ts';
import { compareTexts } from '../../../src/tools/repro/differences.ts';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { measureLine } from '../../../src/tools/repro/limits.ts';
import { openRepro } from '../../../src/tools/repro/open-file.ts';
import { lastActNumber } from '../../../src/tools/repro/places.ts';
import { linesOfRepro, readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { openFile } from '../../../src/tools/repro/replay-file.ts';
import { exportRepro } from '../../../src/tools/repro/service.ts';
import { seedTemplate } from '../../../src/world/fresh-world.ts';
import { DEFAULT_WORLD } from '../../../src/world/worlds.ts';
import { commandLine } from '../../cli/command-line.ts';
import { anyText } from '../../support/any-text.ts';
import { orderFor } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { recordedSandbox } from './recorded-sandbox.ts';
import { sampleRepro, sampleRequest } from './sample-repro.ts';

const MEGABYTE = 1024 * 1024;
const [head = '', request = '', act = ''] = linesOfRepro(sampleRepro());

const unusable = (message: string) => expect.objectContaining({ name: 'ReproFileError', message });

test('stdin that never ends is rejected after 256 MB', async () => {
  const chunk = Buffer.alloc(16 * MEGABYTE, '[');
  let read = 0;
  async function* stdinChunks() {
    for (;;) {
      read += chunk.length;
      yield chunk;
    }
  }
  expect(await commandLine(undefined, { stdinChunks })('repro show -')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('-: the file is larger than 256 MB unpacked'),
  });
  expect(read).toBe(272 * MEGABYTE);
});

test('a line of 8 MB is read', async () => {
  const repro = sampleRepro(sampleRequest(1, { body: { text: '' } }));
  const size = linesOfRepro(repro)[1]?.length ?? 0;
  const text = 'a'.repeat(8 * MEGABYTE - size);
  const full = sampleRepro(sampleRequest(1, { body: { text } }));
  expect((await readRepro(writeRepro(full))).inputs).toEqual(full.inputs);
  const over = sampleRepro(sampleRequest(1, { body: { text: `${text}a` } }));
  expect(() => readRepro(writeRepro(over))).toThrow(unusable('line 2: longer than 8 MB'));
});

test.each<[what: string, line: string, message: string]>([
  [
    'more than 64 levels',
    request.replace('{', `{"later":${'['.repeat(64)}${']'.repeat(64)},`),
    'line 2: more than 64 levels of JSON',
  ],
  ['a million open brackets', '['.repeat(MEGABYTE), 'line 2: more than 64 levels of JSON'],
  [
    'more than 1,000 headers',
    JSON.stringify({ ...JSON.parse(request), headers: Array(1_001).fill(['a', 'b']) }),
    'line 2: headers: more than 1000 headers',
  ],
  [
    'millions of fields',
    `{"kind":"row","table":"counters","values":{${'"a":[],'.repeat(MEGABYTE)}"b":1}}`,
    'line 2: more than 10000 fields and elements',
  ],
])('a line with %s is rejected', (_what, line, message) => {
  const bytes = Buffer.from(`${head}\n${line}\n`);
  expect(() => readRepro(bytes)).toThrow(unusable(message));
});

test('a file of short lines with more than 8 million values is rejected', () => {
  const line = JSON.stringify({ ...JSON.parse(request), later: Array(9_900).fill(0) });
  const lines = Array.from({ length: 820 }, (_, n) =>
    line.replace('"acts":[1]', `"acts":[${n + 1}]`),
  );
  const message = expect.stringMatching(/^line 8\d\d: the file has more than 8000000 fields/);
  expect(() => readRepro(Buffer.from([head, ...lines].join('\n')))).toThrow(
    expect.objectContaining({ name: 'ReproFileError', message }),
  );
});

test('64 levels and 1,000 headers are read', async () => {
  const deep = `${'['.repeat(63)}${']'.repeat(63)}`;
  const fields = { ...JSON.parse(request), headers: Array(1_000).fill(['a', 'b']) };
  const line = JSON.stringify(fields).replace('{', `{"later":${deep},`);
  const { inputs } = await readRepro(Buffer.from(`${head}\n${line}\n${act}\n{"kind":"end"}\n`));
  expect(inputs).toMatchObject([{ headers: { length: 1_000 } }, { kind: 'act' }]);
});

test('brackets and commas in texts are not counted', () => {
  const text = fc.oneof(anyText(), fc.string({ unit: fc.constantFrom('[', ',', '"', '\\', '{') }));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      const line = JSON.stringify({
        texts,
        brackets: '[{'.repeat(100),
        commas: ','.repeat(20_000),
      });
      expect(measureLine(Buffer.from(line)).excess).toBeUndefined();
    }),
  );
});

test('JSON that is nested too deeply to compare is compared as text', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(compareTexts(deep, '[]')).toEqual([{ path: 'body', recorded: deep, replayed: '[]' }]);
});

/** A repro of a small world to which requests of the control API are added. */
async function withControlRequests(
  requests: [target: string, body: object][],
  options: CreateSandboxOptions = {},
): Promise<Repro> {
  const at = await sandbox(options);
  await orderFor(at);
  const repro = await readRepro((await at.exportRepro({ keepPersonalData: true })).bytes);
  let n = lastActNumber(repro.inputs);
  for (const [path, body] of requests) {
    n += 1;
    const target = `/_sandbox${path}`;
    const text = JSON.stringify(body);
    repro.inputs.push(...sampleRequest(n, { api: 'control', target, body: { text } }));
  }
  repro.end = { kind: 'end' };
  return readRepro(writeRepro(repro));
}

test('a replay whose snapshots take more than 256 MB ends with an error', async () => {
  const repro = await withControlRequests(
    Array.from({ length: 150 }, (_, n) => ['/snapshots', { name: `s${n}` }]),
    { inventory: 5_000 },
  );
  const before = process.memoryUsage.rss();
  await expect(openRepro(repro, 1_000)).rejects.toThrow(
    expect.objectContaining({
      name: 'ReproFileError',
      message: expect.stringMatching(/^input \d+: its snapshots take more than 256 MB$/),
    }),
  );
  expect(process.memoryUsage.rss() - before).toBeLessThan(700 * MEGABYTE);
});

test('a snapshot that is replaced does not count', async () => {
  const repro = await withControlRequests(
    Array.from({ length: 130 }, () => ['/snapshots', { name: 's', replace: true }]),
    { inventory: 5_000 },
  );
  const replay = await openFile(repro);
  onTestFinished(() => replay.close());
  for await (const _ of replay.perform());
  expect(replay.client.serialize().length * 130).toBeGreaterThan(256 * MEGABYTE);
});

test('a replay makes no other world', async () => {
  const repro = await withControlRequests([
    ['/worlds', { name: 'other' }],
    ['/worlds', { name: 'fork', fork: 'default' }],
  ]);
  const replay = await openFile(repro);
  onTestFinished(() => replay.close());
  for await (const _ of replay.perform());
  const { worlds } = replay.sandbox;
  expect(worlds.list().map(({ name }) => name)).toEqual([DEFAULT_WORLD]);
});

test('an export over a limit of readers is rejected', async () => {
  const at = await recordedSandbox();
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const headers = Array(1_001).fill(['Cookie', 'sandlot_click_a=b']).flat();
  const { client } = at.sandbox.requests.of(at.world).store;
  client.prepare('UPDATE requests SET headers = ?').run(JSON.stringify(headers));
  const { sandbox: source, world } = at;
  const runtime = systemRuntime;
  await expect(exportRepro({ ...source, runtime }, world, {})).rejects.toMatchObject({
    code: 'conflict',
    message:
      'no file was written, because it would exceed a limit: line 2: headers: more than 1000 headers',
  });
});

/** A seeding thread that gives a database of 20 MB with ten domains: so many take seconds. */
function largeSeedWorker(): string {
  const folder = stateFolder();
  const [database, worker] = [path.join(folder, 'seeded.db'), path.join(folder, 'worker.mjs')];
  const seedLarge: typeof seedInventory = (store, seed) => {
    seedInventory(store, seed, 10);
    store.client.exec(
      'CREATE TABLE filler (bytes); INSERT INTO filler VALUES (zeroblob(20000000)); DROP TABLE filler',
    );
  };
  fs.writeFileSync(database, seedTemplate(seedLarge, 'sandlot', 10));
  fs.writeFileSync(
    worker,
    `import fs from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    parentPort.postMessage(new Uint8Array(fs.readFileSync(${JSON.stringify(database)})));`,
  );
  return worker;
}

test('a world with more generated domains than a file may have is not recorded', async () => {
  WORKER.file = largeSeedWorker();
  onTestFinished(() => {
    delete WORKER.file;
  });
  const at = await recordedSandbox({ inventory: 500_001 });
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  expect(at.recordings()).toEqual([]);
  expect(at.recorded.status.reason).toBe('the world is too large to record');
});

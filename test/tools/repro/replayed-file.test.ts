import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { commandLine } from '../../cli/command-line.ts';
import { mint, quoteFor } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';

async function recorded() {
  const at = await sandbox();
  const { secret } = await mint(at, { partner: 'Other' });
  await quoteFor(at, (await seededListing(1)).domain);
  await quoteFor(at, (await seededListing(2)).domain);
  const cwd = stateFolder();
  const run = commandLine(at, { cwd });
  await run('repro export a.jsonl');
  return { run, secret, at: (name: string) => path.join(cwd, name) };
}

test('repro replay -o writes a file with the same responses, without secrets, which replays', async () => {
  const { run, secret, at } = await recorded();
  expect(await run('repro replay a.jsonl -o b.jsonl')).toMatchObject({
    code: 0,
    stdout: 'Replayed 3 inputs: all responses match the recording.\nWrote b.jsonl\n',
  });
  const text = fs.readFileSync(at('b.jsonl'), 'utf8');
  expect(text).not.toContain(secret);
  const [a, b] = [
    await readRepro(fs.readFileSync(at('a.jsonl'))),
    await readRepro(Buffer.from(text)),
  ];
  expect(b.head).toMatchObject({ origin: 'replayed', verified: true });
  expect(b.inputs).toEqual(a.inputs);
  expect(b.end.digest).toBe(a.end.digest);
  expect(await run('repro replay b.jsonl')).toMatchObject({ code: 0 });
});

test('the placeholder of a webhook secret is no secret: the file can be written', async () => {
  const at = await sandbox();
  await at.control.put('/webhooks', { url: 'http://127.0.0.1:9/', secret: 'whsec_xx1' });
  await quoteFor(at, (await seededListing(1)).domain);
  const run = commandLine(at, { cwd: stateFolder() });
  await run('repro export a.jsonl');
  expect(await run('repro replay a.jsonl -o b.jsonl')).toMatchObject({ code: 0 });
  expect(await run('repro minimize a.jsonl')).toMatchObject({ code: 0 });
});

test('repro replay -o does not stop at a difference, and has the responses of this version', async () => {
  const { run, at } = await recorded();
  const repro = await readRepro(fs.readFileSync(at('a.jsonl')));
  for (const each of requestsOf(repro.inputs)) {
    each.response = { status: 503, headers: [], body: { text: '{}' } };
  }
  fs.writeFileSync(at('old.jsonl'), writeRepro(repro, { compressed: false }));
  const { code, stdout } = await run('repro replay old.jsonl -o new.jsonl');
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: 'Replayed 3 inputs: 3 differ.\nWrote new.jsonl\n',
  });
  const replayed = await readRepro(fs.readFileSync(at('new.jsonl')));
  expect(replayed.head.verified).toBe(false);
  expect(requestsOf(replayed.inputs).map(({ response }) => response)).toMatchObject([
    ...[{ status: 201 }, { status: 201 }, { status: 201 }],
  ]);
  expect(await run('repro replay new.jsonl')).toMatchObject({ code: 0 });
});

test('a request that is rejected now has no act in the file of repro replay -o, which replays', async () => {
  const { run, at } = await recorded();
  const repro = await readRepro(fs.readFileSync(at('a.jsonl')));
  const [, first, second] = requestsOf(repro.inputs);
  for (const each of [first, second]) {
    if (each) each.signature_result = { code: 'invalid_signature', message: 'no', status: 401 };
  }
  fs.writeFileSync(at('old.jsonl'), writeRepro(repro, { compressed: false }));
  expect(await run('repro replay old.jsonl -o new.jsonl')).toMatchObject({ code: 1 });
  const replayed = await readRepro(fs.readFileSync(at('new.jsonl')));
  expect(requestsOf(replayed.inputs)).toMatchObject([
    { acts: [1, 2] },
    { acts: [], after: 2, response: { status: 401 } },
    { acts: [], after: 2, response: { status: 401 } },
  ]);
  expect(replayed.inputs.filter(({ kind }) => kind === 'act')).toHaveLength(2);
  expect(replayed.head).toMatchObject({ target: '2.2', focus: ['2.2', '2.2'] });
  expect(await run('repro replay new.jsonl')).toMatchObject({ code: 0 });
});

test('repro replay -o writes no file if it would contain a secret in any encoding', async () => {
  const { run, secret, at } = await recorded();
  const repro = await readRepro(fs.readFileSync(at('a.jsonl')));
  const hidden = Buffer.from(Buffer.from(secret).toString('base64')).toString('hex');
  requestsOf(repro.inputs).at(1)?.headers.push(['User-Agent', hidden]);
  fs.writeFileSync(at('old.jsonl'), writeRepro(repro, { compressed: false }));
  const { code, stdout, stderr } = await run('repro replay old.jsonl -o new.jsonl');
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(
      'old.jsonl: input 3 would contain a secret, so no file was written',
    ),
  });
  expect(fs.existsSync(at('new.jsonl'))).toBe(false);
});

test.each([
  ['-o a.jsonl --force', '--out: a.jsonl is the file that is replayed'],
  ['-o taken.jsonl', '--out: taken.jsonl exists; pass another name, or --force'],
  ['-o none/b.jsonl', '--out: '],
])('repro replay a.jsonl %s exits 2', async (options, message) => {
  const { run, at } = await recorded();
  fs.writeFileSync(at('taken.jsonl'), 'mine');
  const { code, stderr } = await run(`repro replay a.jsonl ${options}`);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  expect(fs.readFileSync(at('taken.jsonl'), 'utf8')).toBe('mine');
});

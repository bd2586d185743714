import { expect, test } from 'vitest';
import { command } from '../../src/cli/command.ts';
import { ExitWith } from '../../src/cli/errors.ts';
import { magic, orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine, failing } from './command-line.ts';

interface Failed {
  error: { code: string; message: string };
}

test('0: success', async () => {
  const run = commandLine(await sandbox());
  for (const [line, text] of Object.entries({ idle: 'Idle', 'find ..': 'nothing found' })) {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(text);
  }
});

test('1: a call that the sandbox rejects, with the message and code of the sandbox', async () => {
  const run = commandLine(await sandbox());
  const rejected = await run('orders show ord_none --json');
  expect(rejected.code).toBe(1);
  const { error } = rejected.json<Failed>();
  expect(error.code).toBe('not_found');
  expect(rejected.stderr).toBe(`error: ${error.message}\n`);
  expect((await run('orders show ord_none')).stdout).toBe('');
});

test('1: clock until prints what it saw and the clock if the condition is not met', async () => {
  const at = await sandbox();
  const run = commandLine(at);
  const { public_id: id } = await orderFor(at, magic('auto-complete', 199_900));
  const line = `clock until order ${id} --state SETTLED`;
  const missed = await run(line);
  expect(missed.code).toBe(1);
  expect(missed.stderr).toBe('');
  expect(missed.stdout).toMatch(
    /^not reached: nothing that is due brings it about\nsaw:\n {2}TRANSFER_COMPLETED at .*2026-03-02T09:00:02/s,
  );
  const again = await run(`${line} --json`);
  expect(again.code).toBe(1);
  const clock = { now: '2026-03-02T09:00:02.000Z' };
  expect(again.json()).toMatchObject({ reached: false, clock });
});

test('2: wrong usage sends no request', async () => {
  // A request that is sent ends with 3 here.
  const run = commandLine();
  const long = `faults add --status 500 --probability ${'1'.repeat(400_000)}.`;
  const lines = ['orders show', 'orders show ..', 'clock advance soon', 'request POST /x --data {'];
  for (const line of [...lines, 'wait', 'sign GET /x --key-id ..', 'completion tcsh', long]) {
    const { code, stdout, stderr } = await run(line);
    expect(stderr, line).toMatch(/^error: .*\nSee: sandlot .*--help\n$/s);
    expect({ code, stdout }, line).toEqual({ code: 2, stdout: '' });
  }
});

test('2: a value that the sandbox rejects is wrong usage too, and changes nothing', async () => {
  const run = commandLine(await sandbox());
  for (const [line, expected] of [
    ['faults add --status 503', 'effect.status: '],
    ['--world default clock set 2020-01-01T00:00:00Z', 'to: '],
  ] as const) {
    const { code, stdout, stderr } = await run(line);
    expect(stderr, line).toContain(`error: ${expected}`);
    expect(stderr, line).toMatch(/\nSee: sandlot \w+ \w+ --help\n$/);
    expect({ code, stdout }, line).toEqual({ code: 2, stdout: '' });
    const { error } = (await run(`${line} --json`)).json<Failed>();
    expect(error.code, line).toBe('validation_error');
  }
  const { requests } = (await run('requests list --api control --json')).json<{ requests: [] }>();
  expect(requests).toMatchObject(Array.from(requests, () => ({ status: 400 })));
});

test('2: --json prints the error as a document', async () => {
  const { code, json } = await commandLine()('orders list --limit many --json');
  expect(code).toBe(2);
  const message =
    "option '--limit <count>' argument 'many' is invalid. Expected a whole number from 1 to 100.";
  expect(json()).toEqual({ error: { code: 'usage', message } });
  // This option is that of npm.
  expect((await commandLine()('exec --port many -- npm test --json')).stdout).toBe('');
});

test('3: no sandbox responds: names the address and how to start one', async () => {
  const run = commandLine();
  const { code, stderr, json } = await run('status --json');
  expect(code).toBe(3);
  expect(stderr).toContain('http://127.0.0.1:4010 (from the default address)');
  expect(stderr).toContain('sandlot start');
  expect(json()).toMatchObject({ error: { code: 'unreachable' } });
  expect((await run('request GET /api/partner/v1/orders')).code).toBe(3);
});

test('3: a port that fetch does not connect to', async () => {
  const run = commandLine(undefined, { fetch: failing(new Error('bad port')) });
  expect((await run('request GET /api/partner/v1/orders')).code).toBe(3);
  const timeout = () => Promise.reject(new DOMException('it took too long', 'TimeoutError'));
  const { stderr } = await commandLine(undefined, { fetch: timeout })('status');
  expect(stderr).toContain('no sandbox responds at http://127.0.0.1:4010 (it took too long)');
});

test('3: a sandbox that takes longer than fetch waits, and where to look', async () => {
  const run = commandLine(undefined, { fetch: failing({ code: 'UND_ERR_HEADERS_TIMEOUT' }) });
  const { code, stderr } = await run('clock next --url http://127.0.0.1:8080');
  expect(code).toBe(3);
  expect(stderr).toContain('at http://127.0.0.1:8080 within 5 minutes; the call may still be');
  expect(stderr).toContain('\nSee how far it is: sandlot clock --url http://127.0.0.1:8080\n');
});

test('1: a closed connection is not the same as no sandbox', async () => {
  const line = 'request GET /api/partner/v1/orders';
  const run = commandLine(undefined, { fetch: failing({ code: 'ECONNRESET' }) });
  const { code, stderr } = await run(line);
  expect(code).toBe(1);
  expect(stderr).toContain('the connection was closed');
  const shop = await sandbox();
  await shop.control.post('/faults', { effect: { truncate: 5 } });
  const truncated = await commandLine(shop)(line);
  expect(truncated.code).toBe(1);
  expect(truncated.stderr).toContain('the connection was closed before the end of the response;');
});

test('a bug is reported in one line, and a command can exit with a code of its own', async () => {
  const commands = [
    command('stumble', {
      summary: 'Stumbles.',
      run: () => Promise.reject(new TypeError('cannot read x\nof undefined')),
    }),
    command('leave', { summary: 'Leaves.', run: () => Promise.reject(new ExitWith(42)) }),
  ];
  const load = async () => ({ group: 'Made for the test', commands });
  const run = commandLine(undefined, { files: [{ words: ['stumble', 'leave'], load }] });
  const stderr = 'error: TypeError: cannot read x (this is a bug in sandlot)\n';
  expect(await run('stumble')).toMatchObject({ code: 1, stderr });
  expect(await run('leave')).toMatchObject({ code: 42, stdout: '', stderr: '' });
});

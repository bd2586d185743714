import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isServerAlive } from '../../../src/server/record.ts';
import { RECEIVER_CHECKS } from '../../../src/tools/receiver-tests/checks/index.ts';
import type { ReceiverTestReport } from '../../../src/tools/receiver-tests/result.ts';
import { DeliverySource } from '../../../src/tools/receiver-tests/source.ts';
import { commandLine } from '../../cli/command-line.ts';
import { expectNotPrinted } from '../../cli/stdout-checks.ts';
import { deadUrl } from '../../support/receiver.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { runQuickly, SECRET, startReceiver } from './receiver.ts';

function shell(cwd = stateFolder()) {
  return commandLine(undefined, { cwd, interruption: () => new AbortController().signal });
}

test('the base delivery and its signature are those of the documents', () => {
  const source = new DeliverySource({
    secret: 'whsec_local',
    type: 'order.recorded',
    runTag: 'receiver',
    now: () => Date.UTC(2026, 0, 5, 9),
  });
  const [base] = RECEIVER_CHECKS[0]?.build(source) ?? [];
  expect(base?.body).toHaveLength(265);
  expect(base?.headers).toContainEqual([
    'X-Service-Signature',
    '34031c1c9facd2491adf8963d6fab5f62778ebb84b960cb15a9b9cf9a2f1c5be',
  ]);
});

test('there are 56 checks: 42 must and 14 advice', () => {
  expect(RECEIVER_CHECKS.filter(({ level }) => level === 'must')).toHaveLength(42);
  expect(RECEIVER_CHECKS.filter(({ level }) => level === 'advice')).toHaveLength(14);
});

test('invalid options exit 2 before anything is sent', async () => {
  const receiver = await startReceiver();
  const cwd = stateFolder();
  const to = `--url ${receiver.url}`;
  for (const [options, expected] of [
    [to, '--secret: missing'],
    ['--secret s', '--url: missing'],
    [`${to} --secret ""`, "option '--secret <secret>' argument '' is invalid"],
    [`${to} --secret -`, '--secret: must be 1 to 255 visible ASCII characters'],
    [`${to} --secret é`, '--secret: must be 1 to 255 visible ASCII characters'],
    ['--secret s --url http://example.com/hooks', 'pass --allow-remote'],
    ['--secret s --url http://user:pw@127.0.0.1/hooks', '--url: must be'],
    ['--secret s --allow-remote --url http://169.254.169.254/', '--url: must not lead to'],
    ['--secret s --url nonsense', '--url: must be'],
    [`${to} --secret s --only sig.mising`, 'unknown check "sig.mising". Did you mean sig.missing?'],
    [`${to} --secret s --only sigs.*`, 'Did you mean sig.*?'],
    [`${to} --secret s --only ,`, "'--only <id...>' argument ',' is invalid"],
    [`${to} --secret s --event order.settld`, 'Did you mean order.settled?'],
    [`${to} --secret s --probe no-such-command`, '--probe: the probe command was not found'],
    [`${to} --secret s --probe false`, '--probe: the probe command ended with exit code 1'],
    [`${to} --secret s --junit none/out.xml`, '--junit: cannot write'],
    [`${to} --secret s --control-token-file none`, '--control-token-file: cannot read none'],
  ] as const) {
    const { code, stdout, stderr } = await shell(cwd)(`webhooks test ${options}`);
    expect(stderr, options).toContain(expected);
    expect({ code, stdout }, options).toEqual({ code: 2, stdout: '' });
  }
  expect(receiver.requests()).toBe(0);
});

test('a receiver that cannot be reached leaves all checks unseen and exits 1', async () => {
  const run = shell();
  const line = `webhooks test --secret s --url ${await deadUrl()}`;
  const { code, stdout } = await run(line);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^unseen {2}all 56 checks\n +The receiver cannot be reached: connection refused\./,
  );
  const report = (await run(`${line} --json`)).json<ReceiverTestReport>();
  expect(report).toMatchObject({ ok: false, totals: { pass: 0, fail: 0, advice: 0, unseen: 56 } });
});

test('a secret from stdin or the environment works', async () => {
  const { url } = await startReceiver();
  const line = `webhooks test --url ${url} --only sig.missing,dup.twice sig.empty`;
  const run = shell();
  expect((await run(`${line} --secret -`, { stdin: `${SECRET}\n` })).code).toBe(0);
  const env = { SANDLOT_WEBHOOK_SECRET: SECRET };
  const shown = await run(line, { env });
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain('2 pass, 0 fail, 0 advice, 1 unseen (3 checks');
  expect(shown.stdout).not.toContain('certified');
});

test('a failure names the mistake and the fix, and a command that repeats the check', async () => {
  const { url } = await startReceiver({ signedBytes: ({ body }) => body.toString().trim() });
  const { code, stdout } = await shell()(
    `webhooks test --url ${url} --secret ${SECRET} --only body.pretty`,
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {4}body\.pretty {2}a valid delivery was rejected\n/m);
  expect(stdout).toMatch(/received {3}401 after \d+ ms: \{"error":"invalid signature"\}/);
  expect(stdout).toContain('fix        Verify the raw body before any JSON parser runs.');
  expect(stdout).toContain(`reproduce  sandlot webhooks test --only body.pretty --url ${url}\n`);
  expect(stdout).toContain('Not checked: constant-time signature comparison.');
  expect(stdout).not.toContain(SECRET);
});

test('a 409 after a rejected forgery is shown, and explained as the check explains it', async () => {
  const seen = new Set<string>();
  const { url } = await startReceiver({
    first: ({ body, response }) => {
      const event = body.toString();
      if (seen.has(event)) response.writeHead(409).end();
      seen.add(event);
    },
  });
  const only = `webhooks test --url ${url} --secret ${SECRET} --only dup.after_forgery`;
  const { stdout } = await shell()(only);
  expect(stdout).toMatch(/received {3}409 after .*\n {8}meaning {4}The receiver stores ids before/);
});

test('a hostile response changes only its own field in terminal, JSON and JUnit output', async () => {
  const hostile = `\u001b[31m</script>]]><x a="\u0000\r\u009b2J${`${SECRET} `.repeat(200)}`;
  const { url } = await startReceiver({
    respond: (_status, response) => response.writeHead(500).end(hostile),
  });
  const cwd = stateFolder();
  const run = shell(cwd);
  const line = `webhooks test --url ${url} --secret ${SECRET} --only right.*`;
  const { stdout } = await run(line, { isTTY: true, columns: 100 });
  expect(stdout).toContain('\\u001b[31m</script>');
  expect(stdout).not.toContain(SECRET.slice(0, 3));
  const { json, stdout: text } = await run(`${line} --json --junit out.xml`);
  expect(text).not.toContain('\u001b');
  expect(json<ReceiverTestReport>().checks[0]?.deliveries[0]?.response).toContain('</script>');
  const xml = fs.readFileSync(path.join(cwd, 'out.xml'), 'utf8');
  expect(xml).toContain('\\u001b[31m&lt;/script&gt;');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(xml).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(xml).not.toContain(SECRET.slice(0, 3));
});

test('an interruption ends the run with 130 and leaves no probe running', async () => {
  const { url } = await startReceiver();
  const stop = new AbortController();
  const cwd = stateFolder();
  const started = path.join(cwd, 'pid');
  const running = shell(cwd)(
    ['webhooks', 'test', '--url', url, '--secret', SECRET, '--probe', 'echo $$ > pid; sleep 60'],
    { interruption: () => stop.signal },
  );
  while (!fs.existsSync(started) || fs.readFileSync(started, 'utf8') === '') {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  stop.abort();
  expect((await running).code).toBe(130);
  const pid = Number(fs.readFileSync(started, 'utf8'));
  await expect.poll(() => isServerAlive({ pid })).toBe(false);
});

test.each([1, 5, 12, 20, 30, 45, 60, 75])(
  'an interruption at delivery %i closes every connection',
  async (n) => {
    const stop = new AbortController();
    let count = 0;
    const receiver = await startReceiver({
      first: () => {
        count += 1;
        if (count === n) stop.abort();
      },
    });
    const running = runQuickly({ url: receiver.url, signal: stop.signal });
    await expect(running).rejects.toThrow('aborted');
    const open = () =>
      new Promise((resolve) => receiver.server.getConnections((_error, found) => resolve(found)));
    await expect.poll(open).toBe(0);
  },
);

test('--junit - is rejected: stdout has the output of the command', () =>
  expectNotPrinted('webhooks test --secret s --url http://127.0.0.1:1 --junit -', '--junit'));

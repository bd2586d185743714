import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command, commandServer } from '../support/command-server.ts';
import { BIN, emptyDirectory } from '../support/sandlot-process.ts';
import { terminalTest } from '../support/terminal.ts';

const SMALL = ['--inventory', '50'];

const readOrNothing = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');

/** A `sandlot exec` that goes on; the test ends what is left of it. */
function running(cwd: string, ...command: string[]) {
  const args = [BIN, 'exec', '--quiet', ...SMALL, '--', ...command];
  const child = spawn(process.execPath, args, { cwd, stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended };
}

/** The process ids that a script has written, once all are there. */
async function pidsIn(file: string, count: number): Promise<number[]> {
  const read = () => readOrNothing(file).match(/^\d+$/gm)?.map(Number) ?? [];
  await expect.poll(read).toHaveLength(count);
  return read();
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'exec passes %s on to its command and to what that has started, and exits as the command does',
  async (signal) => {
    const cwd = emptyDirectory();
    const until = (file: string) =>
      `process.on('${signal}', () => { fs.writeFileSync('${file}', 'ended'); process.exit(7); });
       setInterval(() => {}, 1000); fs.appendFileSync('pids', process.pid + '\\n');`;
    fs.writeFileSync(path.join(cwd, 'child.cjs'), `const fs = require('fs'); ${until('child')}`);
    const script = `const fs = require('fs');
      require('child_process').spawn(process.execPath, ['child.cjs']); ${until('command')}`;
    const { child, ended } = running(cwd, process.execPath, '-e', script);
    await pidsIn(path.join(cwd, 'pids'), 2);
    child.kill(signal);
    expect(await ended).toEqual([7, null]);
    await expect.poll(() => readOrNothing(path.join(cwd, 'child'))).toBe('ended');
  },
);

terminalTest('Ctrl-C in a terminal reaches the command once', async () => {
  const cwd = emptyDirectory();
  // It says how often it was interrupted, a while after the first time.
  const counting = `let n = 0;
    process.on('SIGINT', () => { n += 1; if (n === 1) setTimeout(() => process.exit(40 + n), 300); });
    setInterval(() => {}, 1000);
    require('fs').writeFileSync('pids', String(process.pid));`;
  fs.writeFileSync(path.join(cwd, 'counting.cjs'), counting);
  // Without a shell in between: some end by the Ctrl-C themselves, and tell of that instead.
  const line = `exec "${process.execPath}" "${BIN}" exec ${SMALL.join(' ')} -- "${process.execPath}" counting.cjs`;
  const terminal = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  const ended = new Promise((resolve) => terminal.once('exit', resolve));
  await pidsIn(path.join(cwd, 'pids'), 1);
  terminal.stdin.write('\u0003');
  expect(await ended).toBe(41);
});

/** Runs `sandlot exec` in this process. */
const exec = (cwd: string, ...args: string[]) => command(cwd, ['exec', ...SMALL, ...args]);

test('exec exits with 128 plus the signal that ended its command', async () => {
  expect((await exec(emptyDirectory(), '--', 'sh', '-c', 'kill -9 $$')).status).toBe(137);
});

test('exec counts requests and errors by code, resets included, on stderr only', async () => {
  const cwd = emptyDirectory();
  fs.writeFileSync(path.join(cwd, 'npx'), await commandServer(cwd), { mode: 0o755 });
  const self = './npx sandlot';
  const script = [
    `${self} request PUT /api/partner/webhooks --data '{"url":"http://127.0.0.1:1/","secret":"s"}'`,
    `${self} request GET /api/partner/v1/orders`,
    `! ${self} request GET /api/partner/v1/orders/ord_1`,
    `! ${self} request GET /api/partner/v1/orders/ord_2`,
    `${self} request POST /api/partner/v1/orders --data '{"domain":"held-order.test","expected_price":250000,"currency":"USD","buyer":{"email":"a@b.co"},"external_payment_ref":"p1"}' --idempotency-key one`,
    'curl -fsX POST "$SANDLOT_URL/_sandbox/idle"',
    'curl -fsX POST "$SANDLOT_URL/_sandbox/reset"',
  ].join(' > out.txt 2>> err.txt && ');
  const line = `exec < /dev/null; cd ${cwd} && ${script} > out.txt`;
  const result = await exec(cwd, '--', 'sh', '-c', line);
  expect(result).toMatchObject({ status: 0, stdout: '' });
  expect(result.stderr.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^sandlot at http:\/\/127\.0\.0\.1:\d+, rate limits off \(--rate-limits turns them on\)$/,
    ),
    '● sandlot: 5 requests, 2 rejected',
    '  2 × 404 not_found',
  ]);
  const quiet = await exec(cwd, '--quiet', '--', 'sh', '-c', 'exit 4');
  expect(quiet).toEqual({ status: 4, stdout: '', stderr: '' });
});

test.each([
  ['nothing', '{}', [], 'off'],
  ['both', '{"rate_limits":{"write":4}}', ['--rate-limit', 'search=5'], 'search 5, write 4,'],
  [
    '--rate-limits',
    '{"rate_limits":false}',
    ['--rate-limits'],
    'search 60, write 20, reporting 30, default 120',
  ],
])(
  'exec has the rate limits that %s asks for, and prints them',
  async (_what, config, options, limits) => {
    const cwd = emptyDirectory();
    const file = path.join(cwd, 'limits.json');
    fs.writeFileSync(file, config);
    const { stderr } = await exec(cwd, '--config', file, ...options, '--', 'true');
    expect(stderr.split('\n')[0]).toContain(`, rate limits ${limits}`);
  },
);

test('exec that cannot run its command says so, with the exit code of a shell', async () => {
  const cwd = emptyDirectory();
  const notes = path.join(cwd, 'notes.txt');
  fs.writeFileSync(notes, '', { mode: 0o644 });
  for (const [word, code, why] of [
    ['no-such-thing', 127, 'command not found'],
    [notes, 126, 'it is not executable'],
    [path.join(notes, 'test'), 126, 'its folder is a file'],
  ] as const) {
    const { status, stderr } = await exec(cwd, '--quiet', '--', word);
    expect(stderr).toBe(`error: cannot run ${word}: ${why}\n`);
    expect(status).toBe(code);
  }
  const nothing = await exec(cwd, '--', '');
  expect(nothing.stderr).toContain("argument 'command'. It must not be empty");
});

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../../cli/command-line.ts';
import { stateFolder } from '../../support/state-folder.ts';

const SMALL = ['--inventory', '50'];

/** A command that requests the list of orders, then ends with a code. */
function client(code: number): string[] {
  const script = `
    const { createHash, createHmac, randomUUID } = require('node:crypto');
    const { SANDLOT_URL: url, SANDLOT_KEY_ID: key, SANDLOT_SECRET: secret } = process.env;
    const path = '/api/partner/v1/orders';
    const [now, nonce] = [String(Math.floor(Date.now() / 1000)), randomUUID()];
    const hash = createHash('sha256').update('').digest('hex');
    const text = ['GET', path, '', now, nonce, hash].join('\\n');
    const signature = 'v1=' + createHmac('sha256', secret).update(text).digest('hex');
    const headers = { 'X-Service-Key-Id': key, 'X-Service-Timestamp': now, 'X-Service-Nonce': nonce, 'X-Service-Signature': signature };
    fetch(url + path, { headers }).then(({ status }) => process.exit(status === 200 ? ${code} : 99));`;
  return ['--', process.execPath, '-e', script];
}

function directoryWithGate(require: readonly string[]): string {
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'gate.json'), JSON.stringify({ require }));
  return cwd;
}

/** Runs `exec` in this process. */
function exec(cwd: string, ...args: string[]) {
  return commandLine(undefined, { cwd })(['exec', '--port', '0', ...args]);
}

test.each([
  ['1 if its gate fails', ['sale.lost_response'], ['--quiet', '--gate', 'gate.json'], 0, 1],
  ['the code of a command that fails', ['sale.lost_response'], ['--gate', 'gate.json'], 7, 7],
  ['0 without a gate', ['sale.lost_response'], [], 0, 0],
  ['0 if its gate passes', ['call.getOrders'], ['--gate', 'gate.json'], 0, 0],
] as const)('exec writes the report and exits with %s', async (_, ids, options, code, expected) => {
  const cwd = directoryWithGate(ids);
  const args = [...SMALL, '--golive', 'g.html', ...options, ...client(code)];
  const finished = await exec(cwd, ...args);
  expect(finished.code, finished.stderr).toBe(expected);
  const passed = /● sandlot: 1 request, .*\n✓ Go-live check passed: 1 of 1 required items met/;
  expect(finished.stderr).toMatch(ids[0] === 'call.getOrders' ? passed : /✗ Go-live check failed/);
  expect(finished.stderr).toContain('Report: g.html. A rehearsal only.');
  const page = fs.readFileSync(path.join(cwd, 'g.html'), 'utf8');
  expect(page).toContain('call.getOrders');
  expect(page).not.toContain('dashboard/requests');
});

test('exec that cannot write the report exits with the code of a command that fails, else with 1', async () => {
  const cwd = stateFolder();
  const folder = path.join(cwd, 'out');
  for (const [code, expected] of [
    [0, 1],
    [3, 3],
  ] as const) {
    fs.mkdirSync(folder);
    const script = `fs.rmdirSync(${JSON.stringify(folder)}); process.exit(${code})`;
    const command = ['--golive', 'out/g.html', '--', process.execPath, '-e', script];
    const finished = await exec(cwd, ...SMALL, ...command);
    expect(finished.stderr).toMatch(/\nerror: cannot write .*: folder not found\n● sandlot: 0 req/);
    expect(finished.code).toBe(expected);
  }
});

test.each([
  [
    ['--gate', 'gate.json'],
    /--gate: gate\.json:1: require\.0: .*Did you mean sale\.lost_response\?/,
  ],
  [['--golive', 'no/such/g.html'], /--golive: cannot write no\/such\/g\.html/],
])(
  'exec %j with an invalid gate or file exits 2 before the command runs',
  async (options, error) => {
    const cwd = directoryWithGate(['sale.lost_respons']);
    const command = ['--', process.execPath, '-e', 'require("fs").writeFileSync("ran", "")'];
    const { code, stderr } = await exec(cwd, ...options, ...command);
    expect(code).toBe(2);
    expect(stderr).toMatch(error);
    expect(fs.existsSync(path.join(cwd, 'ran'))).toBe(false);
  },
);

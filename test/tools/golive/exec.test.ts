import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../../src/tools/golive/report.ts';
import { emptyDirectory, sandlot } from '../../support/sandlot-process.ts';
import { runUnread, serve } from '../../support/unread.ts';

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

function directoryWithGate(require: string[]): string {
  const cwd = emptyDirectory();
  fs.writeFileSync(path.join(cwd, 'gate.json'), JSON.stringify({ items_version: 1, require }));
  return cwd;
}

test('exec writes every report of a run that passes its gate, and prints it', () => {
  const cwd = directoryWithGate(['call.getOrders']);
  const files = ['--golive', 'g.html', '--golive-json', 'g.json', '--golive-junit', 'g.xml'];
  const given = [...SMALL, ...files, '--golive-export', 'c.json', '--gate', 'gate.json'];
  const { status, stderr } = sandlot(cwd, ['exec', ...given, ...client(0)]);
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /● sandlot: 1 request, .*\n✓ Go-live check passed: 1 of 1 required items met/,
  );
  expect(stderr).toContain('Report: g.html. A rehearsal only.');
  const read = (name: string) => fs.readFileSync(path.join(cwd, name), 'utf8');
  const report = JSON.parse(read('g.json')) as Report;
  expect(report).toMatchObject({ base_url: null, gate: { file: 'gate.json', passed: true } });
  expect(report.items.flatMap(({ evidence }) => evidence.map(({ href }) => href))).toContain(null);
  expect(read('g.html')).toContain('call.getOrders');
  expect(read('g.xml')).toContain('<testsuites name="sandlot golive"');
  expect(JSON.parse(read('c.json'))).toMatchObject({
    format: 'sandlot-golive',
    sources: [{ worlds: ['default'], requests: 1 }],
  });
});

test('exec exits 1 if the gate fails, and with the code of a command that fails', () => {
  const cwd = directoryWithGate(['sale.lost_response']);
  const given = [...SMALL, '--gate', 'gate.json', '--golive-json', 'g.json'];
  const failed = sandlot(cwd, ['exec', ...given, ...client(0)]);
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('✗ sale.lost_response');
  fs.rmSync(path.join(cwd, 'g.json'));
  expect(sandlot(cwd, ['exec', ...given, ...client(7)]).status).toBe(7);
  expect(fs.existsSync(path.join(cwd, 'g.json'))).toBe(true);
  const ungated = ['exec', ...SMALL, '--golive', 'g.html', ...client(0)];
  expect(sandlot(cwd, ungated).status).toBe(0);
});

test('exec with an invalid gate or file exits 2 before the command runs', () => {
  const cwd = directoryWithGate(['sale.lost_respons']);
  const command = ['--', process.execPath, '-e', 'require("fs").writeFileSync("ran", "")'];
  const gate = sandlot(cwd, ['exec', '--gate', 'gate.json', ...command]);
  expect(gate.status).toBe(2);
  expect(gate.stderr).toMatch(
    /--gate: gate\.json:1: require\.0: .*Did you mean sale\.lost_response\?/,
  );
  const file = sandlot(cwd, ['exec', '--golive', 'no/such/g.html', ...command]);
  expect(file.status).toBe(2);
  fs.writeFileSync(path.join(cwd, 'sandlot.config.json'), '{ "golive": false }');
  const off = sandlot(cwd, ['exec', '--golive', 'g.html', ...command]);
  expect(off.stderr).toContain('--golive: the configuration file has "golive": false');
  expect(fs.existsSync(path.join(cwd, 'ran'))).toBe(false);
});

test.each([
  [['golive', '--gate', 'gate.json', '--json']],
  [['exec', '--gate', 'gate.json', '--', process.execPath, '-e', '']],
])(
  'a gate fails with exit code 1 for sandlot %j, also if nothing reads the output',
  async (args) => {
    const { cwd } = await serve();
    const gate = { items_version: 1, require: ['sale.lost_response'] };
    fs.writeFileSync(path.join(cwd, 'gate.json'), JSON.stringify(gate));
    expect(await runUnread(cwd, args)).toBe(1);
  },
);

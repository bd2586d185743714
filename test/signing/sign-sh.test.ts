import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, malformed, type Vector, wellFormed } from './vector-file.ts';

const SCRIPT = fileURLToPath(new URL('../../fixtures/sign.sh', import.meta.url));
let folder = '';

beforeAll(() => {
  const { status } = spawnSync('openssl', ['version']);
  if (status !== 0)
    throw new Error('these tests need the command openssl; install it and run again');
  folder = mkdtempSync(join(tmpdir(), 'sandlot-sign-'));
});
afterAll(() => {
  if (folder) rmSync(folder, { recursive: true });
});

describe('sign.sh', () => {
  test('signs every vector as expected', () => {
    const signed = signAll(wellFormed);
    const printed = wellFormed.map(({ name }, n) => [name, signed[n]]);
    const expected = wellFormed.map((vector) => [vector.name, headersOf(vector)]);
    expect(printed).toEqual(expected);
  });

  test('rejects percent escapes without two hex digits', () => {
    const syntax = malformed.filter(({ request }) => /%(?![0-9a-f]{2})/i.test(request.target));
    expect(syntax.length).toBeGreaterThan(3);
    for (const vector of syntax) {
      const { status, stdout, stderr } = sign(vector);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain('malformed percent escape');
    }
  });

  test('makes a timestamp and a UUID when none are given', () => {
    const { stdout } = run(['GET', '/api/partner/v1/orders'], { key_id: 'k', secret: 's' });
    expect(stdout).toMatch(
      /^X-Service-Key-Id: k\nX-Service-Timestamp: \d{10}\nX-Service-Nonce: [\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}\nX-Service-Signature: v1=[\da-f]{64}\n$/,
    );
  });

  test('signs nothing when something is missing', () => {
    const credential = { key_id: 'k', secret: 's' };
    const missing = [
      run(['GET'], credential),
      run(['GET', '/', '', '1', 'n', 'more'], credential),
      run(['POST', '/', join(folder, 'no-such-file')], credential),
      run(['GET', '/'], { key_id: '', secret: 's' }),
      run(['GET', '/'], { key_id: 'k', secret: '' }),
    ];
    for (const { status, stdout, stderr } of missing) {
      expect(status).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).not.toBe('');
    }
  });
});

function sign(vector: Vector) {
  return run(argumentsOf(vector), vector);
}

/** What the script prints for each vector, from one shell: it takes less time to start a command than this process. */
function signAll(vectors: readonly Vector[]): string[] {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const commands = vectors.map((vector) => {
    const words = [SCRIPT, ...argumentsOf(vector)].map(quoted).join(' ');
    const credential = `SANDLOT_KEY_ID=${quoted(vector.key_id)} SANDLOT_SECRET=${quoted(vector.secret)}`;
    return `${credential} sh ${words}\nprintf '\\f'\n`;
  });
  const { stdout } = spawnSync('sh', { input: commands.join(''), encoding: 'utf8' });
  return stdout.split('\f');
}

function argumentsOf(vector: Vector): string[] {
  const { method, target, timestamp, nonce } = vector.request;
  const body = bodyOf(vector);
  const file = body.length > 0 ? join(folder, vector.name) : '';
  if (file) writeFileSync(file, body);
  return [method, target, file, timestamp, nonce];
}

function run(args: readonly string[], credential: { key_id: string; secret: string }) {
  return spawnSync('sh', [SCRIPT, ...args], {
    encoding: 'utf8',
    env: { ...process.env, SANDLOT_KEY_ID: credential.key_id, SANDLOT_SECRET: credential.secret },
  });
}

function headersOf(vector: (typeof wellFormed)[number]): string {
  return [
    `X-Service-Key-Id: ${vector.key_id}`,
    `X-Service-Timestamp: ${vector.request.timestamp}`,
    `X-Service-Nonce: ${vector.request.nonce}`,
    `X-Service-Signature: ${vector.expected.signature}`,
    '',
  ].join('\n');
}

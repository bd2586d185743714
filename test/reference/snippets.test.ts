import { type ExecFileException, execFile, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bodyOf, vectorFile, wellFormed } from '../signing/vector-file.ts';
import { emptyDirectory } from '../support/sandlot-process.ts';
import { beforeCalls, snippet } from '../support/snippets.ts';

/** How a language of the snippets is run, and how it reads test vectors. */
interface Language {
  name: string;
  /** Ending of its files in fixtures/snippets. */
  ending: string;
  /** The commands that it needs; the first runs a program. */
  needs: [string, ...string[]];
  /**
   * Replaces the calls of the signer: prints a signature for each line of standard input, which has secret,
   * method, target, timestamp, nonce and body, encoded by `encode`, with commas between.
   */
  signAll: string;
  /** The same for the verifier: secret, body and signature; prints `true` or `false`. */
  verifyAll: string;
  encode(field: Buffer): string;
  /** Takes every nth vector. */
  every: number;
}

const base64 = (field: Buffer) => field.toString('base64');

const LANGUAGES: readonly Language[] = [
  {
    name: 'curl',
    ending: 'sh',
    needs: ['sh', 'openssl', 'curl', 'awk'],
    signAll: `text() { printf '%b' "$1"; }
while IFS=, read -r secret method target timestamp nonce body; do
  text "$body" | sign "$(text "$secret")" "$(text "$method")" "$(text "$target")" "$(text "$timestamp")" "$(text "$nonce")"
done
`,
    verifyAll: `text() { printf '%b' "$1"; }
while IFS=, read -r secret body signature; do
  if text "$body" | verify "$(text "$secret")" "$(text "$signature")"; then echo true; else echo false; fi
done
`,
    // The shell decodes octal numbers itself; base64 would take a process for each field.
    encode: (field) =>
      field
        .toString('latin1')
        .replace(
          /[^ -+\--[\]-~]/g,
          (char) => `\\0${char.charCodeAt(0).toString(8).padStart(3, '0')}`,
        ),
    // The shell starts a dozen processes for each.
    every: 8,
  },
  {
    name: 'Node.js',
    ending: 'mjs',
    needs: [process.execPath],
    signAll: `const { readFileSync } = await import('node:fs');
for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const fields = line.split(',').map((field) => Buffer.from(field, 'base64'));
  const texts = fields.slice(0, 5).map(String);
  console.log(sign(...texts, fields[5]));
}
`,
    verifyAll: `for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const [secret, body, signature] = line.split(',').map((field) => Buffer.from(field, 'base64'));
  console.log(String(verify(String(secret), body, String(signature))));
}
`,
    encode: base64,
    every: 1,
  },
  {
    name: 'Python',
    ending: 'py',
    needs: ['python3'],
    signAll: `import base64, sys
for line in sys.stdin:
    *texts, body = map(base64.b64decode, line.strip().split(","))
    print(sign(*(text.decode() for text in texts), body))
`,
    verifyAll: `import base64
for line in sys.stdin:
    secret, body, signature = map(base64.b64decode, line.rstrip("\\n").split(","))
    print(str(verify(secret.decode(), body, signature.decode())).lower())
`,
    encode: base64,
    every: 1,
  },
];

/** Signatures that a careless verifier accepts or throws at, of a body with U+0000 and text beyond ASCII. */
const CARELESS = forgeries('whsec_local', Buffer.from('{"note":"a\0b Zoë 漢 😀\u2028"}'));

function forgeries(secret: string, body: Buffer) {
  const valid = createHmac('sha256', secret).update(body).digest('hex');
  const emptyKey = createHmac('sha256', '').update(body).digest('hex');
  const signatures = {
    valid,
    not_hex: 'z'.repeat(64),
    not_ascii: 'é'.repeat(64),
    suffixed: `${valid}zz`,
    two_headers: `${valid}, ${valid}`,
    empty_key: emptyKey,
  };
  return Object.entries(signatures).map(([name, signature]) => {
    return { name, secret, body, signature, valid: name === 'valid' };
  });
}

interface Run {
  args?: string[];
  input?: string;
  env?: Record<string, string>;
}

/** Runs a program of a language to its end. */
function run({ needs: [command], ending }: Language, text: string, { args = [], input, env }: Run) {
  const program = path.join(emptyDirectory(), `program.${ending}`);
  fs.writeFileSync(program, text);
  return new Promise<{ code: number | string; stdout: string; stderr: string }>((resolve) => {
    const ended = (error: ExecFileException | null, stdout: string, stderr: string) =>
      resolve({ code: error?.code ?? 0, stdout, stderr });
    const options = { env: { ...process.env, ...env } };
    execFile(command, [program, ...args], options, ended).stdin?.end(input);
  });
}

/** What a program prints for each list of fields. */
async function linesFor(language: Language, text: string, rows: (string | Uint8Array)[][]) {
  const lines = rows.map((row) => row.map((field) => language.encode(Buffer.from(field))).join());
  const { stdout, stderr } = await run(language, text, { input: `${lines.join('\n')}\n` });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe.each(LANGUAGES)('$name', (language) => {
  const { ending, every } = language;
  const some = <T>(all: readonly T[]) => all.filter((_, n) => n % every === 0);
  const isThere = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
  const isSkipped = !process.env.CI && !language.needs.every(isThere);

  test.skipIf(isSkipped)('signs vectors as expected', async () => {
    const vectors = some(wellFormed);
    const rows = vectors.map((vector) => {
      const { method, target, timestamp, nonce } = vector.request;
      return [vector.secret, method, target, timestamp, nonce, bodyOf(vector)];
    });
    const signer = beforeCalls(snippet(`partner.${ending}`));
    const signed = await linesFor(language, signer + language.signAll, rows);
    expect(vectors.map(({ name }, n) => [name, signed[n]])).toEqual(
      vectors.map(({ name, expected }) => [name, expected.signature]),
    );
  });

  test.skipIf(isSkipped)('accepts valid webhooks and rejects forged ones', async () => {
    const webhooks = [...some(vectorFile.webhooks), ...CARELESS];
    const rows = webhooks.map(({ secret, body, signature }) => [secret, body, signature]);
    const verifier = beforeCalls(snippet(`webhook.${ending}`));
    const results = await linesFor(language, verifier + language.verifyAll, rows);
    expect(webhooks.map(({ name }, n) => [name, results[n]])).toEqual(
      webhooks.map(({ name, valid }) => [name, String(valid)]),
    );
  });

  test.skipIf(isSkipped)('is a program that rejects a missing signature header', async () => {
    const [genuine] = vectorFile.webhooks;
    if (!genuine) throw new Error('there are no webhook vectors');
    const given = { input: genuine.body, env: { SECRET: genuine.secret } };
    const verify = (...args: string[]) =>
      run(language, snippet(`webhook.${ending}`), { ...given, args });
    expect(await verify(genuine.signature)).toMatchObject({ code: 0, stdout: 'valid\n' });
    // Without an argument, the program passes what its language has for a missing header.
    expect(await verify()).toEqual({ code: 1, stdout: 'invalid\n', stderr: '' });
  });
});

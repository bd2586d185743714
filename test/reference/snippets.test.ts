import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bodyOf, vectorFile, wellFormed } from '../signing/vector-file.ts';
import { beforeCalls, LANGUAGES, signerOf, snippet } from '../support/snippets.ts';
import { fieldsLine, missingFor, RUNNERS, runnable, runProgram } from './runners.ts';

interface Webhook {
  name: string;
  secret: string;
  body: string | Buffer;
  signature: string;
  valid: boolean;
}

/** Signatures that a careless verifier accepts or throws at, of a body with U+0000 and text beyond ASCII. */
const CARELESS = forgeries('whsec_local', Buffer.from('{"note":"a\0b Zoë 漢 😀\u2028"}'));

function forgeries(secret: string, body: Buffer): Webhook[] {
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

describe.each(LANGUAGES)('$label', (language) => {
  // The shell starts a dozen processes for each.
  const some = <T>(all: readonly T[]) =>
    language.id === 'curl' ? all.filter((_, n) => n % 8 === 0) : all;
  const vectors = some(wellFormed);
  const skipped = !runnable(language.id, missingFor(language.id));

  test.skipIf(skipped)('signs vectors as expected', async () => {
    const lines = vectors.map((vector) => {
      const { method, target, timestamp, nonce } = vector.request;
      return fieldsLine(language.id, [
        vector.secret,
        method,
        target,
        timestamp,
        nonce,
        bodyOf(vector),
      ]);
    });
    const text = `${signerOf(language)}${RUNNERS[language.id]?.signAll}`;
    const file = language.partnerFile;
    const printed = await runProgram(language.id, { file, text }, { input: lines.join('') });
    const made = printed.trim().split('\n');
    expect(vectors.map(({ name }, index) => [name, made[index]])).toEqual(
      vectors.map(({ name, expected }) => [name, expected.signature]),
    );
  });

  test.skipIf(skipped)('accepts valid webhooks and rejects forged ones', async () => {
    const webhooks: Webhook[] = [...some(vectorFile.webhooks), ...CARELESS];
    const lines = webhooks.map(({ secret, body, signature }) =>
      fieldsLine(language.id, [secret, body, signature]),
    );
    const signer = beforeCalls(snippet(language.webhookFile));
    const text = `${signer}${RUNNERS[language.id]?.verifyAll}`;
    const file = language.webhookFile;
    const printed = await runProgram(language.id, { file, text }, { input: lines.join('') });
    const results = printed.trim().split('\n');
    expect(webhooks.map(({ name }, index) => [name, results[index]])).toEqual(
      webhooks.map(({ name, valid }) => [name, String(valid)]),
    );
  });

  test.skipIf(skipped)('is a program that rejects a missing signature header', async () => {
    const [genuine] = vectorFile.webhooks;
    if (!genuine) throw new Error('there are no webhook vectors');
    const { webhookFile: file } = language;
    const given = { input: genuine.body, env: { SECRET: genuine.secret } };
    const run = (...args: string[]) =>
      runProgram(language.id, { file, text: snippet(file) }, { ...given, args });
    expect(await run(genuine.signature)).toBe('valid\n');
    // Without an argument, the program passes what its language has for a missing header.
    await expect(run()).rejects.toMatchObject({ code: 1, stdout: 'invalid\n', stderr: '' });
  });
});

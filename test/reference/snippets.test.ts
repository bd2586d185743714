import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LANGUAGES, type Language } from '../../src/reference/languages.ts';
import { beforeCalls, signerOf, snippet } from '../../src/reference/snippets.tsx';
import { bodyOf, vectorFile, wellFormed } from '../signing/vector-file.ts';
import {
  correctVerify,
  runQuickly,
  SECRET,
  startReceiver,
} from '../tools/receiver-tests/receiver.ts';
import { fieldsLine, missingFor, RUNNERS, runnable, runProgram } from './runners.ts';

interface Webhook {
  name: string;
  secret: string;
  body: string | Buffer;
  signature: string;
  valid: boolean;
}

/** Deliveries of the receiver tests, and whether a receiver that passes its checks accepted them. */
const deliveries: Webhook[] = [];

beforeAll(async () => {
  let body: Buffer = Buffer.alloc(0);
  const { url } = await startReceiver(
    {
      signedBytes: (incoming) => {
        body = incoming.body;
        return body;
      },
      verify: (expected, signature = '') => {
        const valid = correctVerify(expected, signature);
        const name = `delivery ${deliveries.length}`;
        deliveries.push({ name, secret: SECRET, body, signature, valid });
        return valid;
      },
    },
    afterAll,
  );
  const { checks } = await runQuickly({ url, only: ['sig.*', 'body.*'] });
  const musts = checks.filter(({ level }) => level === 'must');
  expect(musts.map(({ result }) => result)).toEqual(Array(20).fill('pass'));
});

describe.each(LANGUAGES)('$label', (language) => {
  const skipped = !runnable(language.id, missingFor(language.id));

  test.skipIf(skipped)('signs every vector as expected', async () => {
    const lines = wellFormed.map((vector) => {
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
    const text = withImports(language, signerOf(language) + RUNNERS[language.id]?.signAll);
    const file = language.partnerFile;
    const printed = await runProgram(language.id, { file, text }, { input: lines.join('') });
    const made = printed.trim().split('\n');
    expect(wellFormed.map(({ name }, index) => [name, made[index]])).toEqual(
      wellFormed.map(({ name, expected }) => [name, expected.signature]),
    );
  });

  test.skipIf(skipped)(
    'accepts valid webhooks and rejects all that the receiver tests forge',
    async () => {
      const webhooks: Webhook[] = [...vectorFile.webhooks, ...deliveries];
      const lines = webhooks.map(({ secret, body, signature }) =>
        fieldsLine(language.id, [secret, body, signature]),
      );
      const signer = beforeCalls(snippet(language.webhookFile));
      const text = withImports(language, signer + RUNNERS[language.id]?.verifyAll);
      const file = language.webhookFile;
      const printed = await runProgram(language.id, { file, text }, { input: lines.join('') });
      const told = printed.trim().split('\n');
      expect(webhooks.map(({ name }, index) => [name, told[index]])).toEqual(
        webhooks.map(({ name, valid }) => [name, String(valid)]),
      );
    },
  );

  test.skipIf(skipped)('verifies a webhook as received', async () => {
    const [genuine] = vectorFile.webhooks;
    if (!genuine) throw new Error('there are no webhook vectors');
    const { webhookFile: file } = language;
    const given = { input: genuine.body, env: { SECRET: genuine.secret } };
    const run = (signature: string) =>
      runProgram(language.id, { file, text: snippet(file) }, { ...given, args: [signature] });
    expect(await run(genuine.signature)).toBe('valid\n');
    await expect(run(genuine.signature.replace(/.$/, '0'))).rejects.toThrow(/failed/i);
  });
});

/** A Go program names what it uses at its top only. */
function withImports({ id }: Language, text: string): string {
  if (id !== 'go') return text;
  const added = ['encoding/base64', 'strings'].filter((name) => !text.includes(`\t"${name}"\n`));
  return text.replace('import (\n', `import (\n${added.map((name) => `\t"${name}"\n`).join('')}`);
}

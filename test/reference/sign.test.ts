import { expect, test } from 'vitest';
import { bodyOf, wellFormed } from '../signing/vector-file.ts';

interface Signer {
  signedHeaders(
    credential: { keyId: string; secret: string },
    request: { method: string; path: string; query: string; body: string },
    once: { timestamp: string; nonce: string },
  ): Promise<Record<string, string>>;
}

const { signedHeaders }: Signer = await import(
  new URL('../../src/ui/browser/sign.js', import.meta.url).href
);

test('the script of the reference signs every vector with a text body as expected', async () => {
  const texts = wellFormed.filter((vector) => {
    const body = Buffer.from(bodyOf(vector));
    return Buffer.from(body.toString()).equals(body);
  });
  expect(texts.length).toBeGreaterThan(50);
  for (const vector of texts) {
    const { method, target, timestamp, nonce } = vector.request;
    const [path = '', ...query] = target.split('?');
    const request = { method, path, query: query.join('?'), body: bodyOf(vector).toString() };
    const credential = { keyId: 'dmk_1', secret: vector.secret };
    const headers = await signedHeaders(credential, request, { timestamp, nonce });
    expect(headers['X-Service-Signature'], vector.name).toBe(`${vector.expected.signature}`);
  }
});

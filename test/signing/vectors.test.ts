import { describe, expect, test } from 'vitest';
import {
  canonicalQuery,
  canonicalString,
  MalformedQueryError,
  splitTarget,
} from '../../src/signing/canonical.ts';
import {
  isSignatureHeader,
  partsOf,
  signedHeaders,
  signWebhook,
  verifyWebhook,
  wronglySignWebhook,
} from '../../src/signing/signature.ts';
import { expectedOf, hmac } from './reference.ts';
import { bodyOf, malformed, vectorFile, wellFormed } from './vector-file.ts';

describe('request vectors', () => {
  test.each(wellFormed)('$name: $description', (vector) => {
    const request = { ...vector.request, body: bodyOf(vector) };
    const parts = partsOf(request);
    const headers = signedHeaders(vector, request);

    expect({
      body_sha256: parts.bodySha256,
      canonical_query: canonicalQuery(parts.query),
      canonical_string: canonicalString(parts),
      signature: headers['X-Service-Signature'],
    }).toEqual(vector.expected);
    expect(isSignatureHeader(vector.expected.signature)).toBe(true);
    expect(headers['X-Service-Key-Id']).toBe(vector.key_id);
  });

  test.each(malformed)('$name: $description', (vector) => {
    const { query } = splitTarget(vector.request.target);
    expect(() => canonicalQuery(query)).toThrow(MalformedQueryError);
  });

  test('there are at least sixty, each with a name and a nonce of its own', () => {
    const { vectors } = vectorFile;
    expect(vectors.length).toBeGreaterThanOrEqual(60);
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(new Set(vectors.map(({ request }) => request.nonce)).size).toBe(vectors.length);
  });

  test('no secret in the file could be taken for a real one', () => {
    for (const { secret } of [...vectorFile.vectors, ...vectorFile.webhooks]) {
      expect(secret).toMatch(/not[_-]a[_-]secret|00112233445566778899aabbccddeeff/);
    }
  });
});

describe('webhook cases', () => {
  test.each(vectorFile.webhooks)('$name', ({ secret, body, signature, valid }) => {
    expect(verifyWebhook(secret, body, signature)).toBe(valid);
    expect(verifyWebhook(secret, Buffer.from(body), signature)).toBe(valid);
    expect(signWebhook(secret, body) === signature).toBe(valid);
  });

  test('a corrupted signature is never valid', () => {
    for (const body of Array.from({ length: 100 }, (_, n) => `body ${n}`)) {
      expect(verifyWebhook('secret', body, wronglySignWebhook('secret', body))).toBe(false);
    }
  });
});

describe('an independent implementation', () => {
  test.each(vectorFile.vectors)('expects the same of $name', (vector) => {
    const expected = expectedOf(vector);
    expect(vector.expected).toEqual(expected);
    expect(vector.error).toBe(expected ? undefined : 'malformed_query');
  });

  test.each(vectorFile.webhooks)('expects the same of the webhook $name', (webhook) => {
    expect(hmac(webhook.secret, webhook.body) === webhook.signature).toBe(webhook.valid);
  });
});

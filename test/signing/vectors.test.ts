import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
} from '../../src/signing/signature.ts';
import { bodyOf, malformed, vectorFile, vectorFilePath, wellFormed } from './vector-file.ts';

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
});

test('the file is what its generator writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandlot-vectors-'));
  try {
    const script = new URL('../../scripts/make-signature-vectors.mjs', import.meta.url);
    const made = join(folder, 'vectors.json');
    const run = spawnSync(process.execPath, [fileURLToPath(script), made], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(readFileSync(made, 'utf8') === readFileSync(vectorFilePath, 'utf8')).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// Writes fixtures/signature-vectors.json, or the file named: `npx node scripts/make-signature-vectors.mjs [FILE]`.
// It always writes the same bytes.
import { writeFileSync } from 'node:fs';
import { expectedOf } from './signature-vectors/reference.mjs';
import { REQUESTS } from './signature-vectors/requests.mjs';
import { WEBHOOKS } from './signature-vectors/webhooks.mjs';

const vectors = REQUESTS.map((vector) => {
  const expected = expectedOf(vector);
  return expected ? { ...vector, expected } : { ...vector, error: 'malformed_query' };
});
const names = new Set(vectors.map(({ name }) => name));
if (names.size !== vectors.length) throw new Error('two vectors have one name');

const document = {
  $comment:
    'Made by scripts/make-signature-vectors.mjs; do not edit. Explained in fixtures/README.md.',
  description:
    'Test vectors for request signing and webhook signatures of the partner API, for implementations in any language. No secret in here is one.',
  scheme: {
    headers: ['X-Service-Key-Id', 'X-Service-Timestamp', 'X-Service-Nonce', 'X-Service-Signature'],
    canonical_string:
      'METHOD \\n PATH \\n QUERY_STRING \\n TIMESTAMP \\n NONCE \\n BODY_SHA256_HEX, joined by single newlines, none at the end',
    signature:
      'v1= and the lower-case hex HMAC-SHA256 of the canonical string, key: the secret as UTF-8',
    webhook_signature: 'the lower-case hex HMAC-SHA256 of the raw body, without v1=',
  },
  vectors,
  webhooks: WEBHOOKS,
};

const fixture = new URL('../fixtures/signature-vectors.json', import.meta.url);
writeFileSync(process.argv[2] ?? fixture, `${JSON.stringify(document, null, 2)}\n`);

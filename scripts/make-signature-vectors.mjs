// Writes fixtures/signature-vectors.json, or the file named: `npx node scripts/make-signature-vectors.mjs [FILE]`.
// It always writes the same bytes.
import { writeFileSync } from 'node:fs';
import {
  BASE_URL,
  GROUND,
  mistakenSignatures,
  OTHER_SECRET,
} from './signature-vectors/mistakes.mjs';
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
  mistakes: { other_secret: OTHER_SECRET, base_url: BASE_URL, cases: cases() },
  webhooks: WEBHOOKS,
};

const fixture = new URL('../fixtures/signature-vectors.json', import.meta.url);
writeFileSync(process.argv[2] ?? fixture, written(document));

/**
 * Returns wrong signatures, each once. `or` holds other mistakes with the same signature. At most three cases per
 * mistake, unambiguous ones first.
 */
function cases() {
  const found = new Map();
  for (const vector of GROUND.map((ground) => vectors.find(({ name }) => name === ground))) {
    for (const [mistakes, signature, signed] of mistakenSignatures(vector)) {
      if (signature === vector.expected.signature) continue;
      const key = `${vector.name} ${signature}`;
      const names = found.get(key)?.names ?? [];
      if (!names.some((other) => other.join() === mistakes.join())) names.push(mistakes);
      if (!found.has(key)) found.set(key, { vector: vector.name, names, signature, signed });
    }
  }
  const kept = new Map();
  for (const one of [...found.values()].sort((a, b) => a.names.length - b.names.length)) {
    const name = one.names[0].join();
    const others = kept.get(name) ?? [];
    if (others.length < 3 && !others.some(({ vector }) => vector === one.vector)) others.push(one);
    kept.set(name, others);
  }
  return [...kept.values()]
    .flat()
    .map(({ vector, names: [mistakes, ...or], signature, signed }) => ({
      vector,
      mistakes,
      ...(or.length > 0 ? { or } : {}),
      signature,
      ...(signed === undefined ? {} : { signed }),
    }));
}

/** Formats JSON with one case per line. */
function written(value) {
  const { cases: list, ...rest } = value.mistakes;
  const lines = list.map((one) => `      ${JSON.stringify(one)}`).join(',\n');
  const text = JSON.stringify({ ...value, mistakes: { ...rest, cases: ['@'] } }, null, 2);
  return `${text.replace(/^ *"@"$/m, () => lines)}\n`;
}

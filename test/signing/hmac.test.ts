import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacSha256Hex } from '../../src/signing/signature.ts';

const KEYS = ['', 'k', 'é', ...[63, 64, 65, 66, 200].map((length) => 'k'.repeat(length))];
const MESSAGES = ['', 'GET\n/path\n', 'caffè 𝟎', '\ud800', 'm'.repeat(10_000)];

test.each(KEYS)('an HMAC with the key "%s" is that of node:crypto, of text and of bytes', (key) => {
  for (const message of MESSAGES) {
    const expected = createHmac('sha256', key).update(message).digest('hex');
    expect(hmacSha256Hex(key, message)).toBe(expected);
    expect(hmacSha256Hex(key, Buffer.from(message))).toBe(expected);
  }
});

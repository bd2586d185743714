import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signToken, verifyToken } from '../../src/kernel/token.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });

describe('a token', () => {
  test('opens to its payload with the same key and purpose', () => {
    fc.assert(
      fc.property(text, text, text, (key, purpose, payload) => {
        const token = signToken(key, purpose, payload);
        expect(token).toMatch(/^[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{22}$/);
        expect(verifyToken(key, purpose, token)).toBe(payload);
      }),
    );
  });

  test('opens with no other key and for no other purpose', () => {
    fc.assert(
      fc.property(
        text,
        fc.uniqueArray(text, { minLength: 2, maxLength: 2 }),
        (payload, [a = '', b = '']) => {
          // HMAC fills a key up with zeros: "k" and "k\0" are one key.
          fc.pre(a.replace(/\0+$/, '') !== b.replace(/\0+$/, ''));
          expect(verifyToken(b, 'quote', signToken(a, 'quote', payload))).toBeUndefined();
          expect(verifyToken('key', b, signToken('key', a, payload))).toBeUndefined();
        },
      ),
    );
  });

  test('does not open when any one character is changed', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/= ';
    const token = signToken('key', 'cursor', '{"after":"ord_1"}');
    for (let at = 0; at < token.length; at += 1) {
      for (const char of alphabet) {
        const other = token.slice(0, at) + char + token.slice(at + 1);
        if (other !== token) expect(verifyToken('key', 'cursor', other), other).toBeUndefined();
      }
    }
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeDomain } from '../../src/kernel/addresses.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const top = fc.stringMatching(/^[a-z]{2,6}$/);
const domain = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), top)
  .map(([labels, last]) => [...labels, last].join('.'));

describe('normalizeDomain', () => {
  test('leaves a normal name as it is', () => {
    fc.assert(
      fc.property(domain, (name) => {
        expect(normalizeDomain(name)).toBe(name);
      }),
    );
  });

  test('does away with case, white space around, and one trailing dot', () => {
    fc.assert(
      fc.property(domain, fc.constantFrom('', ' ', '\t\n', '\u00a0'), (name, space) => {
        expect(normalizeDomain(`${space}${name.toUpperCase()}.${space}`)).toBe(name);
        expect(normalizeDomain(`${name}..`)).toBeUndefined();
      }),
    );
  });

  test('gives a host name of at least two labels, which it leaves alone, or nothing', () => {
    const characters = fc.constantFrom(...'aZ09-..._ %@:/[]é💡ß。１①\u00ad\u200d\ud800');
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 24 }), (text) => {
        const name = normalizeDomain(text);
        if (name === undefined) return;
        expect(name).toMatch(
          /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]*[a-z-][a-z0-9-]*$/,
        );
        expect(normalizeDomain(name)).toBe(name);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MÜNCHEN.DE.', 'xn--mnchen-3ya.de'],
    ['mu\u0308nchen.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['faß.de', 'xn--fa-hia.de'],
    ['пример.испытание', 'xn--e1afmkfd.xn--80akhbyknj4f'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['💡.com', 'xn--ds8h.com'],
    ['ＥＸＡＭＰＬＥ.com', 'example.com'],
    ['3com.com', '3com.com'],
    ['a--b.co.uk', 'a--b.co.uk'],
  ])('writes %s as %s', (text, name) => {
    expect(normalizeDomain(text)).toBe(name);
  });

  test.each([
    '',
    '.',
    'com',
    'com.',
    '.com',
    'a..com',
    '-a.com',
    'a-.com',
    'a_b.com',
    'a b.com',
    'a.com/x',
    'a.com:80',
    'https://a.com',
    'user@a.com',
    '*.com',
    'a.com?',
    '%61.com',
    '%61é.com',
    'é/x.com',
    'é:80',
    '[::1]',
    '127.0.0.1',
    '١٢٧.٠.٠.١',
    '１２７.1',
    'a.42',
    'a\0.com',
    '\ud800.com',
    `${'a'.repeat(64)}.com`,
    `${'ü'.repeat(63)}.com`,
    `${'a.'.repeat(126)}com`,
  ])('rejects %j', (text) => {
    expect(normalizeDomain(text)).toBeUndefined();
  });

  test('takes labels of 63 and names of 253 characters, no more', () => {
    const long = 'a'.repeat(63);
    expect(normalizeDomain(`${long}.com`)).toBe(`${long}.com`);
    const longest = `${`${long}.`.repeat(3)}${'b'.repeat(57)}.com`;
    expect(longest).toHaveLength(253);
    expect(normalizeDomain(longest)).toBe(longest);
    expect(normalizeDomain(longest.replace('.com', '.info'))).toBeUndefined();
  });
});

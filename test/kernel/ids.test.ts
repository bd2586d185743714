import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { base62From, ID_PREFIXES, IdSeries } from '../../src/kernel/ids.ts';

const prefix = fc.constantFrom(...ID_PREFIXES);

describe('IdSeries', () => {
  const options = fc.record({
    seed: fc.string(),
    world: fc.string(),
    series: fc.oneof(fc.nat(40), fc.nat(2 ** 25)),
  });
  // A counter of more is years of requests.
  const few = fc.nat(2 ** 33 - 2).map((n) => n + 1);

  test('gives sixteen characters up to the millionth series', () => {
    fc.assert(
      fc.property(prefix, options, fc.nat(2 ** 20 - 1), few, (kind, given, series, n) => {
        const id = new IdSeries({ ...given, series }).format(kind, n);
        expect(id.slice(kind.length + 1)).toMatch(/^[0-9a-hjkmnp-tv-z]{16}$/);
      }),
    );
  });

  test('gives ids that sort by series, then by number, and reads the number back', () => {
    fc.assert(
      fc.property(prefix, options, options, few, few, (kind, given, other, n, m) => {
        const [a, b] = [new IdSeries(given), new IdSeries({ ...given, series: other.series })];
        expect(a.read(kind, a.format(kind, n))).toBe(n);
        if (given.series !== other.series) expect(b.read(kind, a.format(kind, n))).toBe(undefined);
        const isEarlier = given.series < other.series || (given.series === other.series && n < m);
        fc.pre(given.series !== other.series || n !== m);
        expect(a.format(kind, n) < b.format(kind, m)).toBe(isEarlier);
      }),
    );
  });
});

describe('base62From', () => {
  test('favors no character', () => {
    const drawn = new Map<string, number>();
    for (const char of base62From('fair', 62_000)) drawn.set(char, (drawn.get(char) ?? 0) + 1);
    expect(drawn.size).toBe(62);
    // 1000 each; 31 is the standard deviation, and the draw is always the same.
    for (const times of drawn.values()) expect(Math.abs(times - 1000)).toBeLessThan(130);
  });
});

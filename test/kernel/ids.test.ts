import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  base62From,
  formatId,
  ID_PREFIXES,
  IdSeries,
  type IdSeriesOptions,
} from '../../src/kernel/ids.ts';

const prefix = fc.constantFrom(...ID_PREFIXES);
const count = fc.nat(2 ** 35 - 1);

describe('formatId', () => {
  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('rejects %d', (n) => {
    expect(() => formatId('ord', 'seed', n)).toThrow(RangeError);
    expect(() => new IdSeries({ seed: 'seed', world: 'w1', series: n })).toThrow(RangeError);
  });

  test('gives the same id for the same seed and number, and another for others', () => {
    fc.assert(
      fc.property(
        prefix,
        fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 }),
        count,
        (kind, [a = '', b = ''], n) => {
          expect(formatId(kind, a, n)).toBe(formatId(kind, a, n));
          expect(formatId(kind, a, n)).not.toBe(formatId(kind, b, n));
        },
      ),
    );
  });

  test('stays what it was: ids are kept in databases and in the docs', () => {
    expect(formatId('ord', 'sandlot', 1)).toBe('ord_0000001nxftxtca4');
    expect(formatId('qt', 'sandlot', 123_456)).toBe('qt_0003rj0cq62f63b5');
  });
});

describe('IdSeries', () => {
  const options: fc.Arbitrary<IdSeriesOptions> = fc.record({
    seed: fc.string(),
    world: fc.string(),
    series: fc.oneof(fc.nat(40), fc.nat(2 ** 25)),
  });
  // A counter of more is years of requests.
  const few = fc.nat(2 ** 33 - 2).map((n) => n + 1);

  test('gives in series 0 what formatId gives', () => {
    fc.assert(
      fc.property(prefix, options, few, (kind, given, n) => {
        const ids = new IdSeries({ ...given, series: 0 });
        expect(ids.format(kind, n)).toBe(formatId(kind, given.seed, n));
      }),
    );
  });

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
  test('draws as many letters and digits as asked for, the same from the same material', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(300), (material, length) => {
        const text = base62From(material, length);
        expect(text).toMatch(/^[0-9A-Za-z]*$/);
        expect(text).toHaveLength(length);
        expect(base62From(material, length)).toBe(text);
        expect(base62From(material, length + 7).startsWith(text)).toBe(true);
      }),
    );
  });

  test('favors no character', () => {
    const drawn = new Map<string, number>();
    for (const char of base62From('fair', 62_000)) drawn.set(char, (drawn.get(char) ?? 0) + 1);
    expect(drawn.size).toBe(62);
    // 1000 each; 31 is the standard deviation, and the draw is always the same.
    for (const times of drawn.values()) expect(Math.abs(times - 1000)).toBeLessThan(130);
  });
});

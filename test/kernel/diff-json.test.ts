import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffJson, type JsonDifference } from '../../src/kernel/diff-json.ts';

const json = () => fc.jsonValue({ maxDepth: 4 });
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

test('equal values have no difference in any order of fields', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json()), (fields) => {
      const turned = Object.fromEntries(Object.entries(copyOf(fields)).reverse());
      expect(diffJson(fields, turned).differences).toEqual([]);
    }),
  );
});

test('values differ exactly if one is not the other, and both ways alike', () => {
  fc.assert(
    fc.property(json(), json(), (a, b) => {
      const [forth, back] = [diffJson(a, b).differences, diffJson(b, a).differences];
      const pathsOf = (differences: JsonDifference[]) => differences.map(({ path }) => path).sort();
      expect(pathsOf(back)).toEqual(pathsOf(forth));
      expect(forth.length === 0).toBe(isDeepStrictEqual(copyOf(a), copyOf(b)));
    }),
  );
});

test('a changed value is named by its path, and nothing else is', () => {
  fc.assert(
    fc.property(json(), json(), fc.array(fc.constantFrom('a', 'b', 'c')), (one, other, path) => {
      fc.pre(typeof one !== 'object' && typeof other !== 'object' && one !== other);
      const around = (value: unknown) =>
        path.reduceRight((inner: unknown, key) => ({ x: 1, [key]: inner, y: [true] }), value);
      expect(diffJson(around(one), around(other)).differences).toEqual([
        { path: path.join('.'), a: one, b: other },
      ]);
    }),
  );
});

test('volatile values are reported apart; another type, or no value, is a difference', () => {
  const isVolatile = (path: string) => path === 'at' || path === 'ids[0]';
  expect(diffJson({ at: 1, ids: ['a'] }, { at: 2, ids: ['b'] }, { isVolatile })).toEqual({
    differences: [],
    volatile: [
      { path: 'at', a: 1, b: 2 },
      { path: 'ids[0]', a: 'a', b: 'b' },
    ],
  });
  expect(diffJson({ at: 1, ids: [] }, { at: '1', ids: ['b'] }, { isVolatile }).differences).toEqual(
    [
      { path: 'at', a: 1, b: '1' },
      { path: 'ids[0]', b: 'b' },
    ],
  );
});

test('it stops after `max` differences', () => {
  expect(diffJson([1, 2, 3], [4, 5, 6], { max: 2 }).differences).toHaveLength(2);
});

test('names of fields that objects inherit are fields like others', () => {
  const [a, b] = [JSON.parse('{"__proto__":1,"constructor":1}'), {}];
  expect(diffJson(a, b).differences.map(({ path }) => path)).toEqual(['__proto__', 'constructor']);
});

test('50,000 levels and 200,000 elements are compared, and a long path is cut off', () => {
  const nested = (leaf: string) => JSON.parse(`${'['.repeat(50_000)}${leaf}${']'.repeat(50_000)}`);
  const path = `${'[0]'.repeat(66)}[…`;
  expect(diffJson(nested('1'), nested('2')).differences).toEqual([{ path, a: 1, b: 2 }]);
  const list = (last: number) => Array.from({ length: 200_000 }, (_, n) => Math.min(n, last));
  expect(diffJson(list(200_000), list(199_998)).differences).toMatchObject([
    { path: '[199999]', a: 199_999, b: 199_998 },
  ]);
});

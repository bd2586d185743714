import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffJson } from '../../src/kernel/diff-json.ts';

const json = () => fc.jsonValue({ maxDepth: 4 });
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Objects with different ids, in any order. */
const objects = () =>
  fc.uniqueArray(fc.record({ id: fc.string(), value: fc.integer() }), { selector: ({ id }) => id });

describe('any JSON', () => {
  test('equal values have no difference, whatever the order of fields', () => {
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
        const mirror = { missing: 'added', added: 'missing' } as Record<string, string>;
        const shown = ({ kind, path }: { kind: string; path: string }) => `${kind} ${path}`;
        expect(
          back.map((each) => shown({ ...each, kind: mirror[each.kind] ?? each.kind })).sort(),
        ).toEqual(forth.map(shown).sort());
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
        const [difference, ...others] = diffJson(around(one), around(other)).differences;
        const kind = typeof one === typeof other ? 'value' : 'type';
        expect(difference).toEqual({ kind, path: path.join('.'), a: one, b: other });
        expect(others).toEqual([]);
      }),
    );
  });
});

describe('a list of objects', () => {
  test('is compared by id: a shuffled one differs only in its order', () => {
    fc.assert(
      fc.property(objects(), fc.infiniteStream(fc.nat()), (list, random) => {
        const shuffled = copyOf(list)
          .map((each) => ({ each, at: random.next().value }))
          .sort((one, other) => one.at - other.at)
          .map(({ each }) => each);
        const isMoved = shuffled.some(({ id }, at) => id !== list[at]?.id);
        expect(diffJson({ list }, { list: shuffled }).differences).toEqual(
          isMoved
            ? [
                {
                  kind: 'order',
                  path: 'list',
                  a: list.map(({ id }) => id),
                  b: shuffled.map(({ id }) => id),
                },
              ]
            : [],
        );
      }),
    );
  });

  test('names elements that only one side has, and fields that differ, by id', () => {
    fc.assert(
      fc.property(objects(), objects(), (a, b) => {
        const found = diffJson(a, b).differences.filter(({ kind }) => kind !== 'order');
        const inB = new Map(b.map(({ id, value }) => [id, value]));
        const inA = new Set(a.map(({ id }) => id));
        expect(found.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
          ...a.flatMap(({ id, value }) => {
            if (!inB.has(id)) return [`missing [${id}]`];
            return inB.get(id) === value ? [] : [`value [${id}].value`];
          }),
          ...b.filter(({ id }) => !inA.has(id)).map(({ id }) => `added [${id}]`),
        ]);
      }),
    );
  });

  test.each([
    ['without an id', [{ n: 1 }, { n: 2 }], [{ n: 2 }, { n: 2 }], '[0].n'],
    ['with an id twice', [{ id: 'a' }, { id: 'a' }], [{ id: 'a' }, { id: 'b' }], '[1].id'],
    ['with an id that is no text', [{ id: 1 }], [{ id: 2 }], '[0].id'],
    ['in which one is no object', [{ id: 'a' }, 1], [{ id: 'a' }, 2], '[1]'],
  ])('%s is compared by index', (_case, a, b, path) => {
    expect(diffJson(a, b).differences).toMatchObject([{ kind: 'value', path }]);
  });

  test('uses the first field that identifies each element, or a domain', () => {
    const order = (public_id: string, status: string) => ({ partner_id: 'p', public_id, status });
    expect(
      diffJson([order('o1', 'A'), order('o2', 'B')], [order('o2', 'C'), order('o1', 'A')]),
    ).toMatchObject({ differences: [{ kind: 'order' }, { path: '[o2].status', a: 'B', b: 'C' }] });
    expect(
      diffJson(
        [
          { domain: 'a.io', cents: 1 },
          { domain: 'b.io', cents: 2 },
        ],
        [{ domain: 'b.io', cents: 3 }],
      ),
    ).toMatchObject({
      differences: [{ kind: 'missing', path: '[a.io]' }, { path: '[b.io].cents' }],
    });
  });

  test('with other names of ids pairs known ones by name, and others in their order', () => {
    const names = new Map([['a1', 'b1']]);
    const nameOf = (id: string, side: 'a' | 'b') =>
      side === 'a' ? names.get(id) : [...names.values()].find((each) => each === id);
    const a = [
      { id: 'a2', n: 2 },
      { id: 'a1', n: 1 },
      { id: 'a3', n: 3 },
    ];
    const b = [
      { id: 'b1', n: 1 },
      { id: 'b2', n: 2 },
      { id: 'b3', n: 4 },
    ];
    const isVolatile = (path: string) => path.endsWith('id');
    expect(diffJson(a, b, { nameOf, isVolatile })).toMatchObject({
      differences: [
        { kind: 'order', a: ['a2', 'a1', 'a3'], b: ['a1', 'a2', 'a3'] },
        { path: '[a3].n', a: 3, b: 4 },
      ],
      volatile: [{ path: '[a2].id' }, { path: '[a1].id' }, { path: '[a3].id' }],
    });
  });
});

test('volatile values are reported apart; another type, or no value, is a difference', () => {
  const isVolatile = (path: string) => path === 'at' || path === 'ids[0]';
  expect(diffJson({ at: 1, ids: ['a'] }, { at: 2, ids: ['b'] }, { isVolatile })).toEqual({
    differences: [],
    volatile: [
      { kind: 'value', path: 'at', a: 1, b: 2 },
      { kind: 'value', path: 'ids[0]', a: 'a', b: 'b' },
    ],
    compared: 2,
  });
  expect(diffJson({ at: 1, ids: [] }, { at: '1', ids: ['b'] }, { isVolatile }).differences).toEqual(
    [
      { kind: 'type', path: 'at', a: 1, b: '1' },
      { kind: 'added', path: 'ids[0]', b: 'b' },
    ],
  );
});

test('it stops after `max` differences', () => {
  expect(diffJson([1, 2, 3], [4, 5, 6], { max: 2 }).differences).toHaveLength(2);
});

test('names of fields that objects inherit are fields like others', () => {
  const [a, b] = [JSON.parse('{"__proto__":1,"constructor":1}'), {}];
  expect(diffJson(a, b).differences).toMatchObject([
    { kind: 'missing', path: '__proto__' },
    { kind: 'missing', path: 'constructor' },
  ]);
});

test('50,000 levels and 200,000 elements are compared', () => {
  const nested = (leaf: string) => JSON.parse(`${'['.repeat(50_000)}${leaf}${']'.repeat(50_000)}`);
  expect(diffJson(nested('1'), nested('2')).differences).toMatchObject([{ a: 1, b: 2 }]);
  const list = (last: number) =>
    Array.from({ length: 200_000 }, (_, n) => ({ id: `i${n}`, n: Math.min(n, last) }));
  expect(diffJson(list(200_000), list(199_998).reverse()).differences).toMatchObject([
    { kind: 'order' },
    { path: '[i199999].n' },
  ]);
});

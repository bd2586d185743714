import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutBeginning, withoutChunks } from '../../../src/tools/repro/reductions.ts';

test('exactly the needed items stay, in their order', async () => {
  const items = fc.uniqueArray(fc.nat(500), { maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(items, fc.func(fc.boolean()), async (all, isNeeded) => {
      const needed = all.filter((each) => isNeeded(each));
      const holds = async (kept: readonly number[]) => needed.every((each) => kept.includes(each));
      const shorter = await withoutBeginning(all, holds);
      expect(shorter).toEqual(needed[0] === undefined ? [] : all.slice(all.indexOf(needed[0])));
      expect(await withoutChunks(shorter, holds)).toEqual(needed);
    }),
  );
});

test('no single item can go if the need for items depends on others', async () => {
  const items = Array.from({ length: 40 }, (_, n) => n);
  const sizes = fc.uniqueArray(fc.nat(39), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (one, other) => {
      const holds = async (kept: readonly number[]) =>
        one.every((each) => kept.includes(each)) || other.every((each) => kept.includes(each));
      const left = await withoutChunks(items, holds);
      expect(await holds(left)).toBe(true);
      for (const each of left) expect(await holds(left.filter((n) => n !== each))).toBe(false);
    }),
  );
});

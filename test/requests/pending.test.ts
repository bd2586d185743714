import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pending } from '../../src/requests/pending.ts';

test('texts come out as they went in, in their order, whatever was dropped', () => {
  const act = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 50 }) },
    { weight: 1, arbitrary: fc.nat(700_000).map((length) => 'é'.repeat(length)) },
    { weight: 3, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.constant(2) },
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const pending = new Pending();
      const model: string[] = [];
      for (const each of acts) {
        if (each === 1) expect([...pending.oldest(3)]).toEqual(model.slice(0, 3));
        else if (each === 2) {
          pending.drop(2);
          model.splice(0, 2);
        } else {
          const text = String(each).toWellFormed();
          pending.push(text);
          model.push(text);
        }
        expect(pending.count).toBe(model.length);
        expect(pending.bytes).toBe(Buffer.byteLength(model.join('')));
      }
      expect([...pending.oldest(Number.POSITIVE_INFINITY)]).toEqual(model);
    }),
    { numRuns: 50 },
  );
});

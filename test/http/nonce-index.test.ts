import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf, NonceIndex } from '../../src/http/pipeline/nonce-index.ts';

const TRACKED = 600_000;

test('a nonce is used as long as it is tracked, whatever came in between', () => {
  const step = fc.record({
    nonce: fc.nat({ max: 40 }).map((n) => hashOf(`nonce-${n}`)),
    wait: fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 700_000 })),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(2 ** 40), (steps, start) => {
      const index = new NonceIndex(TRACKED);
      const model = new Map<number, number>();
      let now = start;
      for (const { nonce, wait } of steps) {
        now += wait;
        const at = model.get(nonce);
        const used = at !== undefined && now - at < TRACKED;
        expect(index.wasUsed(nonce, now)).toBe(used);
        if (used) continue;
        index.use(nonce, now);
        model.set(nonce, now);
      }
    }),
  );
});

test('thousands are told apart', () => {
  const index = new NonceIndex(TRACKED);
  const nonces = Array.from({ length: 20_000 }, (_, n) => hashOf(`key\n${n}`));
  expect(new Set(nonces).size).toBe(nonces.length);
  for (const nonce of nonces.slice(0, 10_000)) index.use(nonce, 1);
  expect(nonces.map((nonce) => index.wasUsed(nonce, 2)).filter(Boolean)).toHaveLength(10_000);
  expect(nonces.slice(0, 10_000).every((nonce) => index.wasUsed(nonce, 2))).toBe(true);
});

test('a clock that is set back a little forgets nothing', () => {
  const index = new NonceIndex(TRACKED);
  const [first, second] = [hashOf('a'), hashOf('b')];
  index.use(first, 1_000_000);
  index.use(second, 1_600_001);
  index.use(hashOf('c'), 1_599_990);
  expect(index.wasUsed(second, 1_599_990)).toBe(true);
  expect(index.wasUsed(first, 1_599_990)).toBe(true);
});

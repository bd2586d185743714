import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentNonces } from '../../src/http/pipeline/access.ts';

const TRACKED = 600_000;

test('a nonce stays used as long as it is tracked, after any other requests', () => {
  const step = fc.record({
    keyId: fc.constantFrom('key-1', 'key-2'),
    nonce: fc.nat({ max: 20 }).map((n) => `nonce-${n}`),
    wait: fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 700_000 })),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(2 ** 40), (steps, start) => {
      const recent = new RecentNonces(TRACKED);
      const model = new Map<string, number>();
      let now = start;
      for (const { keyId, nonce, wait } of steps) {
        now += wait;
        const at = model.get(`${keyId} ${nonce}`);
        const used = at !== undefined && now - at < TRACKED;
        expect(recent.has(keyId, nonce, now)).toBe(used);
        if (used) continue;
        recent.add(keyId, nonce, now);
        model.set(`${keyId} ${nonce}`, now);
      }
    }),
  );
});

test('a clock that is set back a little forgets nothing', () => {
  const recent = new RecentNonces(TRACKED);
  const [first, second] = ['a', 'b'];
  recent.add('key', first, 1_000_000);
  recent.add('key', second, 1_600_001);
  recent.add('key', 'c', 1_599_990);
  expect(recent.has('key', second, 1_599_990)).toBe(true);
  expect(recent.has('key', first, 1_599_990)).toBe(true);
});

test.each([
  ['of the same key', 'key'],
  ['of other keys only', 'other key'],
])('nonces are forgotten after at most twice the time, with requests %s', (_, laterKey) => {
  const recent = new RecentNonces(TRACKED);
  recent.add('key', 'a', 0);
  recent.add(laterKey, 'b', TRACKED + 1);
  recent.add(laterKey, 'c', 2 * TRACKED + 2);
  // Even on a clock that goes back: the map that held it is gone.
  expect(recent.has('key', 'a', 0)).toBe(false);
});

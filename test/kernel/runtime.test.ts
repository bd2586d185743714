import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cachePerTick, systemRuntime } from '../../src/kernel/runtime.ts';

test('a clock is read once per event-loop tick, before and after an await', async () => {
  let time = 0;
  const now = cachePerTick(() => {
    time += 1;
    return time;
  });
  expect([now(), now()]).toEqual([1, 1]);
  await Promise.resolve();
  expect(now()).toBe(1);
  await nextTick();
  expect(now()).toBe(2);
});

test('real time moves on between ticks, however long the synchronous work of one takes', async () => {
  const begun = systemRuntime.now();
  const monotonic = systemRuntime.monotonic();
  while (systemRuntime.monotonic() - monotonic < 5);
  expect(systemRuntime.now()).toBe(begun);
  await nextTick();
  expect(systemRuntime.now()).toBeGreaterThanOrEqual(begun + 4);
});

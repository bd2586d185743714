import { expect, test } from 'vitest';
import { type ManualTimers, manualTimers } from '../../support/manual-timers.ts';
import { sandbox } from '../../support/sandbox.ts';
import { get } from './observed.ts';

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

/** Rings every timer several times over: one that is set again shows itself. */
async function ringAll(runtime: ManualTimers): Promise<void> {
  for (let n = 0; n < 10; n += 1) {
    for (const ms of runtime.waiting()) runtime.ring(ms);
    await nextTick();
  }
}

test('a request that ends while the sandbox closes leaves no timer and no report', async () => {
  const runtime = manualTimers();
  const reported: unknown[] = [];
  const at = await sandbox({ runtime }, { report: (error) => reported.push(error) });
  await get(at, '/orders');
  await Promise.all([at.close(), get(at, '/orders')]);
  await ringAll(runtime);
  expect([runtime.waiting(), reported]).toEqual([[], []]);
});

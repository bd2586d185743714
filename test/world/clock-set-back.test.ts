import { expect, test } from 'vitest';
import { testRuntime } from '../support/runtime.ts';
import { sandbox } from '../support/sandbox.ts';

const HOUR = 3_600_000;

/** Sets the clock of the machine back while the sandbox clock runs. @returns `before`, the sandbox time until then */
async function setBack() {
  const runtime = testRuntime();
  const at = await sandbox({ runtime });
  await at.control.post('/clock/resume');
  const now = async () => Date.parse((await at.control.get<{ now: string }>('/clock')).now);
  const before = await now();
  runtime.time -= HOUR;
  return { runtime, at, now, before };
}

test('the sandbox clock goes on from its last value when the clock of the machine is set back', async () => {
  const { runtime, now, before } = await setBack();
  expect(await now()).toBe(before);
  runtime.time += 1_000;
  expect(await now()).toBe(before + 1_000);
});

test('a rejected request does not take the sandbox clock back', async () => {
  const { at, now, before } = await setBack();
  const target = '/api/partner/v1/orders/ord_0000000none';
  expect((await at.call({ method: 'GET', target })).status).toBe(404);
  expect(await now()).toBe(before);
});

test('a frozen clock stays where it is when the clock of the machine is set back', async () => {
  const runtime = testRuntime();
  const at = await sandbox({ runtime });
  const { now } = await at.control.post<{ now: string }>('/clock/freeze');
  runtime.time -= HOUR;
  expect(await at.control.get('/clock')).toMatchObject({ now });
});

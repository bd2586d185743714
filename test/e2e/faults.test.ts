import { expect, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import { addFault, hitsOf } from '../support/faults.ts';
import { emptyDirectory, startProcess } from '../support/sandlot-process.ts';

const KEY = { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secret' };
const TARGET = '/api/partner/v1/orders';

test('after a kill -9 in a burst, a fault has as many hits as clients saw, and no more than its limit', async () => {
  const cwd = emptyDirectory();
  const first = await startProcess(cwd, '--no-rate-limits', '--inventory', '50');
  const listing = (url: string) =>
    sendSigned(fetch, signPartnerRequest(url, KEY, { method: 'GET', target: TARGET }, Date.now()));
  await addFault(
    { control: new ControlClient({ baseUrl: first.url, fetch }) },
    { match: { path: '/orders', every: 2 }, effect: { code: 'conflict' }, times: 40 },
  );
  let injected = 0;
  let sent = 0;
  let killed: Promise<unknown> | undefined;
  await Promise.allSettled(
    Array.from({ length: 60 }, async () => {
      sent += 1;
      if ((await listing(first.url)).status === 409) injected += 1;
      if (injected === 10) killed ??= first.end('SIGKILL');
    }),
  );
  await killed;
  expect(injected).toBeGreaterThanOrEqual(10);

  const second = await startProcess(cwd, '--no-rate-limits');
  const at = { control: new ControlClient({ baseUrl: second.url, fetch }) };
  const [before = 0] = await hitsOf(at);
  expect(before).toBeGreaterThanOrEqual(injected);
  expect(before).toBeLessThanOrEqual(sent / 2);
  let later = 0;
  for (let n = 0; n < 100; n += 1) if ((await listing(second.url)).status === 409) later += 1;
  expect(before + later).toBe(40);
  expect(await hitsOf(at)).toEqual([40]);
});

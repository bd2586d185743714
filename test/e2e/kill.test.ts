import { expect, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { type Key, sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import { emptyDirectory, startProcess } from '../support/sandlot-process.ts';

const KEY = { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secret' };

// What else a kill must not lose: `npm run torture -- kills`.
test('no id is issued twice when a kill -9 meets resets and new worlds', async () => {
  const cwd = emptyDirectory();
  const issued: string[] = [];
  for (const killedAfterMs of [4, 20]) {
    const server = await startProcess(cwd, '--no-rate-limits', '--inventory', '50');
    const control = new ControlClient({ baseUrl: server.url, fetch });
    const sell = async (key: Key) => {
      const sale = { domain: 'held-order.test', expected_price: 250_000, currency: 'USD' };
      const call = {
        method: 'POST',
        target: '/api/partner/v1/orders',
        body: { ...sale, buyer: { email: 'a@b.co' } },
        headers: { 'Idempotency-Key': crypto.randomUUID() },
      };
      const sent = signPartnerRequest(server.url, key, call, Date.now());
      const response = await sendSigned(fetch, sent);
      expect(response.status).toBe(201);
      issued.push(((await response.json()) as { public_id: string }).public_id);
    };
    const inOthers = async () => {
      const key = await control.in('w1').post<Key>('/credentials', {});
      await sell(key);
      await control.delete('/worlds/w1');
    };
    await control.delete('/worlds/w1').catch(() => {});
    await sell(KEY);
    await control.post('/worlds', { name: 'w1' });
    await inOthers();
    const cutShort = (async () => {
      for (;;) {
        await control.post('/reset');
        await sell(KEY);
        await control.post('/worlds', { name: 'w1' });
        await inOthers();
      }
    })();
    await Promise.allSettled([
      cutShort,
      new Promise((resolve) => setTimeout(resolve, killedAfterMs)).then(() =>
        server.end('SIGKILL'),
      ),
    ]);
  }
  expect(issued.length).toBeGreaterThanOrEqual(4);
  expect(new Set(issued).size).toBe(issued.length);
});

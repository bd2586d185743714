import { expect, test } from 'vitest';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

test.each([
  ['GET', '/api/partner/v1/order', ''],
  ['PATCH', '/api/partner/v1/refunds', ''],
  ['GET', '/_sandbox/request', '?api=control'],
  ['GET', '/_sandbox/clock/advance', '?api=control'],
])('%s %s, which no endpoint has, is rejected with 404', async (method, target, api) => {
  const at = await sandbox();
  expect(await rejection(await at.call({ method, target }))).toMatchObject({
    status: 404,
    code: 'not_found',
    message: `no such endpoint: ${method} ${target}; /_sandbox/reference${api} lists all`,
  });
});

test.each(['//api/partner/v1/orders', '/v1/orders'])(
  'a signed request for %s, which misses the partner API, is logged, and the response names both APIs',
  async (target) => {
    const at = await sandbox({ port: 0, inventory: 5 });
    const response = await fetch(`${at.url}${target}`, {
      headers: { 'X-Service-Key-Id': 'dmk_sandbox_local' },
    });
    const message = `${target} not found; the partner API is under /api/partner, the control API and the dashboard under /_sandbox`;
    expect(await rejection(response)).toMatchObject({ status: 404, message });
    const { requests } = await at.control.get<{ requests: object[] }>('/requests');
    expect(requests).toMatchObject([{ target, status: 404, code: 'not_found', message }]);
  },
);

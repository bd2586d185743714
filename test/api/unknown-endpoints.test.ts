import { expect, test } from 'vitest';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const P = '/api/partner/v1';

test.each([
  ['GET', '/order', 'GET /api/partner/v1/orders'],
  ['GET', '/order/ord_1', 'GET /api/partner/v1/orders/{public_id}'],
  ['PATCH', '/refunds', 'POST /api/partner/v1/refunds'],
  ['GET', '/domain/search', 'GET /api/partner/v1/domains/search'],
])('%s %s is rejected with 404 and the nearest endpoint', async (method, path, nearest) => {
  const at = await sandbox();
  const response = await at.call({ method, target: `${P}${path}` });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    error: {
      code: 'not_found',
      message: `no such endpoint: ${method} ${P}${path}; nearest: ${nearest}`,
    },
  });
});

test('a path that is like no other is rejected without a nearest endpoint', async () => {
  const at = await sandbox();
  const target = `${P}/reda/cted/GlIK6bpkpqiK`;
  const response = await at.call({ method: 'GET', target });
  expect(await response.json()).toEqual({
    error: { code: 'not_found', message: `no such endpoint: GET ${target}` },
  });
});

test('a long path is rejected without the nearest endpoint', async () => {
  const at = await sandbox();
  const target = `${P}/${'x'.repeat(300)}`;
  const response = await at.call({ method: 'GET', target });
  expect(await response.json()).toMatchObject({
    error: { code: 'not_found', message: `no such endpoint: GET ${target}` },
  });
});

test.each(['//api/partner/v1/orders', '/v1/orders'])(
  'a signed request for %s, which misses the partner API, is logged and answered with the nearest endpoint',
  async (target) => {
    const at = await sandbox({ port: 0, inventory: 5 });
    const response = await fetch(`${at.url}${target}`, {
      headers: { 'X-Service-Key-Id': 'dmk_sandbox_local' },
    });
    const nearest = 'nearest: GET /api/partner/v1/orders';
    expect(await rejection(response)).toMatchObject({
      status: 404,
      message: expect.stringContaining(nearest),
    });
    const { requests } = await at.control.get<{ requests: object[] }>('/requests');
    expect(requests).toMatchObject([
      { target, status: 404, code: 'not_found', message: expect.stringContaining(nearest) },
    ]);
  },
);

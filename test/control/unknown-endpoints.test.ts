import { expect, test } from 'vitest';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

test.each([
  ['GET', '/request', 'GET /_sandbox/requests'],
  ['GET', '/clock/advance', 'POST /_sandbox/clock/advance'],
  ['POST', '/orders/ord_1/clear', 'POST /_sandbox/orders/{id}/advance'],
])('%s %s is rejected with 404 and the nearest endpoint', async (method, path, nearest) => {
  const at = await sandbox();
  const response = await at.fetch(`/_sandbox${path}`, { method });
  expect(await rejection(response)).toMatchObject({
    status: 404,
    message: `no such endpoint: ${method} /_sandbox${path}; nearest: ${nearest}`,
  });
});

test('a path that is like no other is rejected without a nearest endpoint', async () => {
  const at = await sandbox();
  const response = await at.fetch('/_sandbox/reda/cted/GlIK6bpkpqiK');
  expect(await rejection(response)).toMatchObject({
    status: 404,
    message: 'no such endpoint: GET /_sandbox/reda/cted/GlIK6bpkpqiK',
  });
});

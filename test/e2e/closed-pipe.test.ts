import { expect, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { runUnread, serve } from '../support/unread.ts';

test.each([
  [1, ['wait', 'event', 'order.settled', '--timeout', '1ms']],
  [2, ['orders', 'lsit']],
])('the exit code is %i for sandlot %j, also if nothing reads the output', async (code, args) => {
  const { cwd } = await serve();
  expect(await runUnread(cwd, args)).toBe(code);
});

test('output without an end ends with its reader, and a receiver unregisters', async () => {
  const { cwd, server } = await serve();
  const control = new ControlClient({ baseUrl: server.url, fetch });
  await control.post('/clock/freeze');
  expect(await runUnread(cwd, ['logs', '--follow', '--api', 'all'])).toBe(0);
  expect(await runUnread(cwd, ['webhooks', 'listen', '--register', '--json'])).toBe(0);
  const { requests } = await control.get<{ requests: object[] }>('/requests', { api: 'control' });
  expect(requests).toContainEqual(expect.objectContaining({ method: 'PUT', status: 200 }));
  expect(await control.get('/webhooks')).toMatchObject({ webhooks: [] });
});

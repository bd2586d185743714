import { expect, onTestFinished, test } from 'vitest';
import { createSandbox, type PartnerRequest } from '../../src/index.ts';
import { newestLogged } from '../support/request-log.ts';
import { sandbox } from '../support/sandbox.ts';

test.each([
  [{ path: '/api/partner/v1/orders' }, 'call: pass target, not path: a path with its query'],
  [{ method: 'GET', url: '/api/partner/v1/orders' }, 'call: pass target, not url'],
  [{ method: 'GET' }, 'call: pass target: a path'],
  [{ method: 'GET', target: 'http://localhost/x' }, 'call: pass target: a path'],
  [{ target: '/api/partner/v1/orders' }, "call: pass method, such as 'GET'"],
])('call(%j) is rejected with the right field', async (request, message) => {
  const at = await createSandbox({ inventory: 0, port: false });
  onTestFinished(() => at.close());
  await expect(at.call(request as PartnerRequest)).rejects.toThrow(message);
  expect(await at.control.get('/requests', { api: 'all' })).toMatchObject({ requests: [] });
});

test('the path is signed as it is sent, and a header in another letter case replaces that of call', async () => {
  const at = await sandbox();
  const response = await at.call({
    method: 'POST',
    target: '/api/partner/v1/bücher/../quotes#1',
    headers: { 'content-type': 'application/json; charset=utf-8', 'USER-AGENT': 'mine/1' },
    body: { domain: 'held-order.test' },
  });
  expect(response.status).toBe(201);
  const { request } = await newestLogged(at);
  const sent = request.headers.map(([name, value]) => [name.toLowerCase(), value]);
  expect(sent.filter(([name]) => name === 'content-type' || name === 'user-agent')).toEqual([
    ['content-type', 'application/json; charset=utf-8'],
    ['user-agent', 'mine/1'],
  ]);
});

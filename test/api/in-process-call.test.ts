import { expect, onTestFinished, test } from 'vitest';
import { createSandbox, type PartnerRequest } from '../../src/index.ts';

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

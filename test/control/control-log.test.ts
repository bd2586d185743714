import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import type { LoggedRequest } from '../../src/requests/logged-request.ts';
import { allEvents, orderFor } from '../support/orders.ts';
import { withReceiver } from '../support/receiver.ts';
import { newestLogged } from '../support/request-log.ts';
import { sandbox } from '../support/sandbox.ts';

const ALL = { api: 'all' };
const control = { api: 'control' };

async function listed(at: InProcessSandbox, query: Record<string, string> = ALL, world?: string) {
  const client = world === undefined ? at.control : at.control.in(world);
  return (await client.get<{ requests: LoggedRequest[] }>('/requests', query)).requests;
}

const newest = (at: InProcessSandbox) => newestLogged(at, ALL);

function raw(at: InProcessSandbox, method: string, path: string, body?: string) {
  return at.fetch(`/_sandbox${path}`, { method, ...(body !== undefined && { body }) });
}

const PRICING = '/api/partner/v1/pricing?domain=held-order.test';
const ADVANCE = '/_sandbox/clock/advance';

describe('a control API call that acts', () => {
  test('is in one list with the calls of the partner API, in the order in which they came', async () => {
    const at = await sandbox();
    await at.control.post('/clock/advance', { by: '1m' });
    await at.call({ method: 'GET', target: PRICING });
    await at.control.delete('/faults');
    expect(await listed(at)).toMatchObject([
      { api: 'control', method: 'DELETE', target: '/_sandbox/faults', status: 200 },
      { api: 'partner', method: 'GET', target: PRICING, status: 200 },
      { api: 'control', method: 'POST', target: ADVANCE, endpoint: ADVANCE, status: 200 },
    ]);
    expect(await listed(at, control)).toHaveLength(2);
    expect(await listed(at, { api: 'partner' })).toHaveLength(1);
    expect(await listed(at, {})).toMatchObject([{ api: 'partner' }]);
  });

  test('shows its body and the response', async () => {
    const at = await sandbox();
    await at.control.post('/clock/advance', { by: '1m' });
    const shown = await newest(at);
    expect(shown.request).toMatchObject({ body: '{"by":"1m"}', altered: null });
    expect(JSON.parse(shown.response.body ?? '')).toMatchObject({ frozen: true });
  });

  test('names the order in its body or in the response', async () => {
    const { at } = await withReceiver();
    const { public_id: order } = await orderFor(at);
    const [event] = await allEvents(at);
    await at.control.post('/clock/until', { order, state: 'EXTERNALLY_PAID' });
    expect(await newest(at)).toMatchObject({ order });
    await at.control.post(`/events/${event?.id}/resend`);
    expect(await newest(at)).toMatchObject({ order });
  });

  test('is logged with the reason when it is rejected', async () => {
    const at = await sandbox();
    await raw(at, 'POST', '/clock/advance', '{"by":');
    expect(await newest(at)).toMatchObject({
      status: 400,
      code: 'validation_error',
      request: { body: '{"by":' },
    });
    await raw(at, 'POST', '/orders/ord_0/advance', '{}');
    expect(await newest(at)).toMatchObject({
      status: 404,
      endpoint: '/_sandbox/orders/:id/advance',
    });
    await raw(at, 'POST', '/clock/advnace', '{}');
    expect(await newest(at)).toMatchObject({ status: 404, endpoint: null });
    expect((await newest(at)).message).toContain('/_sandbox/clock/advnace');
  });

  test('of an import shows the beginning of what was uploaded and its size', async () => {
    const at = await sandbox();
    const names = Array.from({ length: 3_000 }, (_, n) => `imported-name-${n}.com,100`);
    const csv = `domain,price_cents\n${names.join('\n')}\n`;
    await at.fetch('/_sandbox/inventory/import?format=csv', { method: 'POST', body: csv });
    const { status, request } = await newest(at);
    expect(status).toBe(200);
    const body = csv.slice(0, 64 * 1024);
    expect(request).toMatchObject({ body, bytes: csv.length, altered: 'truncated' });
  });
});

describe('no entry is made', () => {
  test('for GET, idle, wait and clearing the log', async () => {
    const at = await sandbox();
    await at.control.get('/status');
    await at.control.get('/orders');
    await at.control.post('/idle');
    await at.control.post('/wait', { for: 'event', count: 1, timeout_ms: 1 }).catch(() => {});
    await at.fetch('/_sandbox/', { method: 'GET' });
    await at.control.delete('/requests');
    expect(await listed(at)).toEqual([]);
  });

  test('for a call that the guard rejects', async () => {
    const at = await sandbox();
    const response = await at.fetch('/_sandbox/reset', {
      method: 'POST',
      headers: { Origin: 'https://elsewhere.example' },
    });
    expect(response.status).toBe(403);
    expect(await listed(at)).toEqual([]);
  });
});

describe('an entry belongs to the world', () => {
  test('that the call names, also by the world of its body or of its key id', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w' });
    await at.control.in('w').post('/clock/advance', { by: '1m' });
    const scopes = ['search'];
    const key = await at.control.post<{ key_id: string }>('/credentials', { scopes, world: 'w' });
    await at.control.delete(`/credentials/${key.key_id}`);
    expect((await listed(at, control, 'w')).map(({ target }) => target)).toEqual([
      `/_sandbox/credentials/${key.key_id}`,
      '/_sandbox/credentials',
      `${ADVANCE}?world=w`,
    ]);
    expect((await listed(at)).map(({ target }) => target)).toEqual(['/_sandbox/worlds']);
  });

  test('default, if the named world does not exist or the call deletes it', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w' });
    await at.control.in('w').delete('/worlds/w');
    await raw(at, 'POST', '/reset?world=w');
    expect(await listed(at)).toMatchObject([
      { target: '/_sandbox/reset?world=w', status: 404 },
      { target: '/_sandbox/worlds/w?world=w', status: 200 },
      { target: '/_sandbox/worlds', status: 201 },
    ]);
  });
});

describe('an entry holds no secret', () => {
  test('that the sandbox mints', async () => {
    const at = await sandbox();
    const minted = await at.control.post<{ secret: string }>('/credentials', { scopes: ['buy'] });
    expect(JSON.stringify(await newest(at))).not.toContain(minted.secret);
  });

  test('of the world file of a rejected import, whose body is left out', async () => {
    const at = await sandbox();
    const file = await (await raw(at, 'GET', '/worlds/default/export')).arrayBuffer();
    const response = await at.fetch('/_sandbox/worlds/import', { method: 'POST', body: file });
    expect(response.status).toBe(409);
    const { request } = await newest(at);
    expect(request).toMatchObject({ body: null, bytes: file.byteLength, altered: 'truncated' });
  });
});

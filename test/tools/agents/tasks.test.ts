import { expect, test } from 'vitest';
import { replayRepro } from '../../../src/index.ts';
import { magic, orderBody, orderFor, requestOrder, withOrder } from '../../support/orders.ts';
import { headerOf, withAttempt } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { agentOf } from './agent.ts';

const HELD = magic('held-order', 250_000);

test('why does my order fail?', async () => {
  const at = await sandbox();
  const wrong = { ...HELD, price_cents: 199_900 };
  await requestOrder(at, orderBody(wrong));
  const agent = await agentOf(at);
  const list = await agent.call('requests', { action: 'list', where: 'status:4xx' });
  const [{ request_id: id }] = list.data.requests;
  expect(list.next).toEqual([`requests {"action":"explain","id":"${id}"}`]);
  const { data } = await agent.call('requests', { action: 'explain', id });
  expect(data).toMatchObject({
    request: 'POST /api/partner/v1/orders',
    response: '422 price_mismatch',
  });
  const failed = data.steps.filter(({ result }: { result: string }) => result === 'failed');
  expect(failed).toMatchObject([{ text: expect.stringContaining('250000') }]);
});

test('why is my signature rejected?', async () => {
  const at = await sandbox();
  const key = { ...at.credential, secret: at.credential.secret.toUpperCase() };
  await at.call({ method: 'GET', target: '/api/partner/v1/orders?b=1&a=2' }, key);
  const agent = await agentOf(at);
  const list = await agent.call('requests', { action: 'list', where: 'code:invalid_signature' });
  const [{ request_id: id }] = list.data.requests;
  const { data } = await agent.call('requests', { action: 'explain', id });
  expect(data.message).toContain('secret');
  expect(data.canonical_string).toContain('\na=2&b=1\n');
});

test('make the second webhook of this order arrive twice, and show what my receiver did', async () => {
  const { at, hook, order } = await withAttempt((response, n) =>
    response.writeHead(n === 3 ? 500 : 200).end(),
  );
  const { public_id: id, domain } = order;
  const agent = await agentOf(at);
  await agent.call('faults', {
    action: 'add',
    match: { domain, first: 1 },
    webhook: { duplicate: true },
  });
  await agent.call('orders', { action: 'advance', id, to: 'TRANSFER_IN_PROGRESS' });
  await at.idle();
  const events = (await agent.call('events', { action: 'list', subject_id: id })).data.events;
  const second = events.find(({ type }: { type: string }) => type === 'order.transfer_started');
  const list = await agent.call('webhooks', { action: 'list', event_id: second.id });
  const [{ delivery_id }] = list.data.deliveries;
  const { data } = await agent.call('webhooks', { action: 'show', id: delivery_id });
  const outcomes = data.attempts.map((each: { http_status: number }) => each.http_status);
  const sent = hook.received.filter(({ body }) => body.includes(second.id));
  expect(sent).toHaveLength(2);
  expect(headerOf(sent[0] as never, 'x-service-signature')).toBe(
    headerOf(sent[1] as never, 'x-service-signature'),
  );
  expect(outcomes.toSorted()).toEqual([200, 500]);
});

test('hand me a file that reproduces it', async () => {
  const { at } = await withOrder(0);
  await requestOrder(at, orderBody({ ...HELD, price_cents: 1 }));
  await orderFor(at, HELD);
  const agent = await agentOf(at);
  const list = await agent.call('requests', { action: 'list', where: 'code:price_mismatch' });
  const [{ request_id: id }] = list.data.requests;
  const explained = await agent.call('requests', { action: 'explain', id });
  expect(explained.next).toEqual([`repro {"action":"export","request":"${id}"}`]);
  const { data, next } = await agent.call('repro', { action: 'export', request: id });
  expect(data.summary).toMatchObject({ verified: true });
  expect(data.summary.target).toContain('422');
  expect(next).toEqual([`sandlot repro replay ${data.summary.file}`]);
  const { method, url, body } = data.file;
  const file = await at.fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const replayed = await replayRepro(new Uint8Array(await file.arrayBuffer()));
  expect(replayed).toMatchObject({ result: 'reproduced', divergence: [] });
});

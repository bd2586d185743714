import type { InProcessSandbox, Key } from '../../src/index.ts';
import { type Order, orderBody, requestOrder, requestQuote } from './orders.ts';

/**
 * Calls most operations of a partner and an operator, and returns every response, byte for byte, to compare
 * two sandboxes. Needs no webhook receiver.
 */
export async function recordScenario(
  at: InProcessSandbox,
  key: Key = at.credential,
): Promise<string[]> {
  const responses: string[] = [];
  const recorded = async (response: Response) => {
    const text = await response.text();
    responses.push(`${response.status} ${text}`);
    return JSON.parse(text);
  };
  const get = async (path: string) =>
    recorded(await at.call({ method: 'GET', target: `/api/partner/v1${path}` }, key));
  const { domains } = await get('/domains/search?q=money');
  for (const { domain } of domains) await get(`/pricing?domain=${domain}`);
  await get('/domains/price-moves.test');
  await get('/availability?domain=price-moves.test');
  const quote = await recorded(await requestQuote(at, 'held-order.test', key));
  const bought = { quote_id: quote.quote_id, external_payment_ref: 'pi_1' };
  await recorded(await requestOrder(at, bought, { key, idempotencyKey: 'one' }));
  const sold: Order[] = [];
  for (const [n, listing] of domains.entries()) {
    const call = { key, idempotencyKey: `sale ${n}`.replace(' ', '-') };
    sold.push(await recorded(await requestOrder(at, orderBody(listing), call)));
  }
  await recorded(await requestOrder(at, orderBody(domains[0]), { key, idempotencyKey: 'late' }));
  const { control } = at;
  const tell = async (response: Promise<unknown>) => responses.push(JSON.stringify(await response));
  const world = await control.get<{ world: string }>(`/credentials/${key.key_id}`);
  const there = control.in(world.world);
  const [first, second] = sold;
  await tell(there.post(`/orders/${first?.public_id}/advance`, { action: 'refund' }));
  await tell(there.post('/clock/advance', { by: '90m' }));
  await tell(there.post(`/orders/${second?.public_id}/advance`, { to: 'TRANSFER_COMPLETED' }));
  await tell(there.post('/settlements/run'));
  const page = await get('/orders?limit=2');
  await get(`/orders?limit=2&cursor=${page.next_cursor}`);
  await get(`/orders/${second?.public_id}`);
  await get('/events');
  await tell(there.get('/orders', { limit: 3 }));
  await tell(there.get('/events', { limit: 3 }));
  // The distance from real time is the one thing that no two runs share.
  return responses.map((text) => text.replaceAll(/"offset_ms":-?\d+/g, '"offset_ms":0'));
}

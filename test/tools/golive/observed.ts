import type { InProcessSandbox, Key, PartnerRequest } from '../../../src/index.ts';
import type { Report, ReportItem } from '../../../src/tools/golive/report.ts';

const V1 = '/api/partner/v1';
export const HELD = { domain: 'held-order.test', price: 250_000 };

/** A signed request of an integration; `at.call` is one of sandlot itself, which is not observed. */
export function request(
  at: InProcessSandbox,
  { target, headers, ...rest }: PartnerRequest,
  key?: Key,
): Promise<Response> {
  const named = { 'User-Agent': 'acme/1.0', ...headers };
  return at.call({ ...rest, target: V1 + target, headers: named }, key);
}

/** @param count how many times */
export async function get(
  at: InProcessSandbox,
  target: string,
  { count = 1, key }: { count?: number; key?: Key } = {},
): Promise<void> {
  for (let n = 0; n < count; n += 1) await request(at, { method: 'GET', target }, key);
}

/** Places an order by price. @param idempotencyKey also the key of its retry */
export function order(
  at: InProcessSandbox,
  { domain, price }: { domain: string; price: number },
  idempotencyKey: string,
  key?: Key,
): Promise<Response> {
  const body = {
    domain,
    expected_price: price,
    currency: 'USD',
    buyer: { email: 'buyer@example.com' },
  };
  const headers = { 'Idempotency-Key': idempotencyKey };
  return request(at, { method: 'POST', target: '/orders', body, headers }, key);
}

/** The report of all worlds, or of one. */
export function reportOf(at: InProcessSandbox, world?: string): Promise<Report> {
  const { control } = at;
  return (world === undefined ? control : control.in(world)).get<Report>('/golive');
}

export async function item(at: InProcessSandbox, id: string, world?: string): Promise<ReportItem> {
  const { items } = await reportOf(at, world);
  const found = items.find((each) => each.id === id);
  if (found) return found;
  throw new Error(`there is no item ${id}`);
}

/** Ids of the items that are contradicted. */
export async function contradicted(at: InProcessSandbox): Promise<string[]> {
  const { items } = await reportOf(at);
  return items.filter(({ status }) => status === 'contradicted').map(({ id }) => id);
}

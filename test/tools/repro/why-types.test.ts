import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandbox } from '../../../src/index.ts';
import { lazilyAsync } from '../../../src/kernel/lazily.ts';
import type { ValueCause } from '../../../src/tools/repro/why.ts';
import { commandLine } from '../../cli/command-line.ts';
import { magic, mint, mintLive, orderBody, quoteFor, requestOrder } from '../../support/orders.ts';
import { answered } from '../../support/responses.ts';
import { INVENTORY } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';

const cwd = stateFolder(afterAll);

/** A file in which each type of object is changed in each way. */
const file = lazilyAsync(async () => {
  const at = await createSandbox({
    ...{ inventory: INVENTORY, port: false, rateLimits: false },
    frozenAt: '2026-03-02T09:00:00.000Z',
  });
  const send = async <T>(method: string, target: string, body?: object, status = 201) => {
    const headers = { 'Idempotency-Key': target };
    const request = { method, target: `/api/partner/v1${target}`, headers };
    return answered<T>(await at.call({ ...request, ...(body && { body }) }), status);
  };
  const sell = async (sold: Parameters<typeof orderBody>[0]) =>
    answered<{ public_id: string }>(await requestOrder(at, orderBody(sold)), 201);
  const [first, second, third] = await Promise.all([1, 2, 3].map(seededListing));
  if (!first || !second || !third) throw new Error('too few domains');
  await at.control.put('/webhooks', { url: 'http://127.0.0.1:9/hook', secret: 'a-long-secret-1' });
  const [used, open] = [await quoteFor(at, first.domain), await quoteFor(at, second.domain)];
  const order = await answered<{ public_id: string }>(
    await requestOrder(at, { quote_id: used.quote_id, external_payment_ref: 'pay-1' }),
    201,
  );
  const scheduled = await sell(magic('auto-complete', 199_900));
  await at.control.post(`/orders/${order.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
  const { session_id } = await send<{ session_id: string }>('POST', '/checkout-session', {
    domain: third.domain,
  });
  const paid = await send<{ session_id: string }>('POST', '/checkout-session', {
    domain: 'held-order.test',
  });
  await at.control.post(`/checkout-sessions/${paid.session_id}/pay`);
  const brokered = { tier: 'managed', buyer_email: 'b@example.com', budget_cents: 100_000 };
  const { case_id } = await send<{ case_id: string }>('POST', '/brokerage', {
    ...{ domain: 'wanted.example', ...brokered },
  });
  await at.control.post(`/brokerage/${case_id}/advance`, { to: 'NEGOTIATING' });
  const live = await mintLive(at, { partner: 'Live' });
  const other = await mint(at, { partner: 'Other', scopes: ['search'] });
  await at.control.patch(`/inventory/${second.domain}`, { price_cents: 4_200 });
  await at.control.post('/clock/advance', { by: '8d' });
  await at.control.post('/settlements/run');
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  fs.writeFileSync(path.join(cwd, 'a.repro.gz'), (await at.exportRepro()).bytes);
  const listed = await at.control.get<{ deliveries: { delivery_id: string }[] }>('/deliveries');
  await at.close();
  return {
    run: commandLine(undefined, { cwd }),
    ids: {
      ORDER: order.public_id,
      SCHEDULED: scheduled.public_id,
      SESSION: session_id,
      PAID: paid.session_id,
      CASE: case_id,
      LIVE: live.key_id,
      LIVE_PARTNER: live.partner_id,
      OTHER: other.key_id,
      FIRST: first.domain,
      SECOND: second.domain,
      THIRD: third.domain,
      DELIVERY: listed.deliveries.at(-1)?.delivery_id ?? '',
      OPEN: idIn(open.quote_id),
      USED: idIn(used.quote_id),
    },
  };
});

function idIn(token: string): string {
  return Buffer.from(token, 'base64url').toString('latin1').split(' ')[0] ?? '';
}

test.each<[string, string, unknown?]>([
  ['order[ORDER].status', 'request', 'SETTLED'],
  ['order[SCHEDULED].status', 'request', 'SETTLED'],
  ['order[ORDER].domain', 'request'],
  ['order[ORDER].buyer.email', 'base', null],
  ['delivery[DELIVERY].status', 'outcome'],
  ['order[SCHEDULED].timeline.1.status', 'moves', 'TRANSFER_IN_PROGRESS'],
  ['listing[FIRST].status', 'request', 'sold'],
  ['listing[SECOND].price_cents', 'request', 4_200],
  ['listing[THIRD].price_cents', 'base'],
  ['webhook[ptr_local].pending_deliveries', 'request', 2],
  ['credential[LIVE].approved', 'request', true],
  ['session[SESSION].status', 'clock.to', 'EXPIRED'],
  ['session[PAID].status', 'request', 'PAID'],
  ['case[CASE].status', 'request', 'NEGOTIATING'],
  ['balance[ptr_local].commission_cents', 'request', 25_000],
  ['balance[ptr_local].owed_cents', 'request', 403_665],
  ['balance[LIVE/LIVE_PARTNER].owed_cents', 'request', 0],
  ['order[ORDER].timeline.0.status', 'request'],
  ['webhook[ptr_local].url', 'request'],
  ['credential[OTHER].scopes', 'request'],
  ['credential[dmk_sandbox_local].scopes', 'base'],
  ['case[CASE].budget_cents', 'request'],
  ['credential.scopes', 'base'],
  ['balance.owed_cents', 'request'],
  ['quote[OPEN].state', 'clock.to', 'expired'],
  ['quote[USED].state', 'request', 'used'],
])('%s was set by %s', async (given, cause, value) => {
  const { run, ids } = await file();
  const of = Object.entries(ids).reduce(
    (text, [name, id]) => text.replace(new RegExp(`(?<=[[/])${name}(?=])`), id),
    given,
  );
  const found = await run(['repro', 'why', 'a.repro.gz', of, '--json']);
  expect(found, found.stderr).toMatchObject({ code: 0 });
  const why = found.json<ValueCause>();
  expect({ cause: why.last?.cause ?? 'base', value: why.value }).toEqual({
    cause,
    value: value === undefined ? why.value : value,
  });
});

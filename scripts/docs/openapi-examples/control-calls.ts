import type { InProcessSandbox } from '../../../src/index.ts';
import { TOOL_DOCS } from '../tools.ts';
import type { ExampleReceiver } from './receiver.ts';
import type { Recorder } from './recorder.ts';

const CSV =
  'domain,price_cents,category\nbrewpilot-one.com,199900,Coffee\nbrewpilot-two.com,149900,Coffee\n';

/** Calls every control API route that the partner scenario does not call. */
export async function recordControlCalls(
  recorder: Recorder,
  at: InProcessSandbox,
  hook: ExampleReceiver,
  { order, session }: { order: string; session: string },
): Promise<void> {
  const { callControl } = recorder;
  await callControl('getHealth', 'healthy');
  await callControl('getStatus', 'running');
  await callControl('listOrders', 'some', { parameters: { status: 'EXTERNALLY_PAID' } });
  await callControl('getOrder', 'one', { parameters: { id: order } });
  await callControl('getFind', 'order', { parameters: { q: order } });
  await callControl('getOrderWhyNot', 'not_yet', { parameters: { id: order, to: 'SETTLED' } });
  for (const [list, items, id, show] of [
    ['listCheckoutSessions', 'checkout_sessions', 'session_id', 'getCheckoutSession'],
    ['listTransactions', 'transactions', 'transaction_id', 'getTransaction'],
    ['listCases', 'cases', 'case_id', 'getCase'],
    ['listStatements', 'settlements', 'statement_id', 'getStatement'],
    ['listPayouts', 'payouts', 'payout_id', 'getPayout'],
  ] as const) {
    const page = await callControl<Record<string, Record<string, string>[]>>(list, 'newest', {
      parameters: { partner_id: 'local', limit: 1 },
    });
    await callControl(show, 'one', { parameters: { id: page[items]?.[0]?.[id] ?? '' } });
  }
  await callControl('postCheckoutCancel', 'cancelled', { parameters: { id: session } });
  await refundSale(recorder);

  const { events } = await callControl<{ events: { id: string }[] }>('listEvents', 'of_one_order', {
    parameters: { subject_id: order },
  });
  const event = events[0]?.id ?? '';
  hook.status = 503;
  const { delivery_id } = await callControl<{ delivery_id: string }>('postEventResend', 'queued', {
    parameters: { id: event },
  });
  await at.idle();
  await callControl('getDeliveries', 'not_arrived', { parameters: { status: 'pending' } });
  await callControl('getDelivery', 'not_arrived', { parameters: { id: delivery_id } });
  hook.status = 200;
  await callControl('postDeliveryRetry', 'due_now', { parameters: { id: delivery_id } });
  await callControl('postIdle', 'idle', { body: { timeout_ms: 5_000 } });
  await callControl('putWebhooks', 'registered', {
    body: { partner: 'acme', url: hook.url, secret: 'whsec_example' },
  });
  await callControl('getWebhooks', 'all');
  await callControl('postWebhooksFire', 'made_up', {
    body: { type: 'order.settled', url: hook.url, secret: 'whsec_example' },
  });
  await callControl('postWait', 'order', {
    body: { for: 'order', id: order, state: 'EXTERNALLY_PAID' },
  });

  const { requests } = await callControl<{ requests: { request_id: string }[] }>(
    'getRequests',
    'newest',
    { parameters: { api: 'partner', method: 'POST', limit: 1 } },
  );
  const parameters = { id: requests[0]?.request_id ?? '' };
  await callControl('getRequest', 'explained', { parameters });
  await callControl('getRequestDiff', 'with_the_nearest', { parameters });
  await recordFaults(recorder);
  await recordInventory(recorder);
  await callControl('postClockUntil', 'met', { body: { event: 'order.settled' } });
  await recordClock(recorder);
  await callControl('deleteWebhooks', 'removed', { parameters: { url: hook.url } });
  for (const docs of TOOL_DOCS) await docs.recordCalls?.(recorder, { order });
  await recordWorlds(recorder);
  await recordCredentials(recorder);
  await callControl('postRateLimitsReset', 'reset');
  await callControl('deleteRequests', 'cleared');
  await callControl('getOpenapi', 'partner');
  await callControl('postStop', 'stopping');
}

async function refundSale({ callControl, call }: Recorder): Promise<void> {
  const opened = await call<{ session_id: string }>('postCheckoutSession', 'magic', {
    body: { domain: 'held-order.test' },
  });
  const paid = await callControl<{ transaction_id: string }>('postCheckoutPay', 'by_anybody', {
    parameters: { id: opened.session_id },
  });
  await callControl('postTransactionRefund', 'refunded', {
    parameters: { id: paid.transaction_id },
  });
}

async function recordFaults({ callControl }: Recorder): Promise<void> {
  const { fault_id } = await callControl<{ fault_id: string }>('postFault', 'of_calls', {
    body: {
      match: { method: 'GET', path: '/pricing', every: 3 },
      effect: { status: 500, code: 'internal_error' },
    },
  });
  await callControl('postFault', 'of_webhooks', {
    body: { match: { event: 'order.settled' }, webhook: { duplicate: true }, times: 1 },
  });
  await callControl('getFaults', 'both');
  await callControl('deleteFault', 'removed', { parameters: { fault_id } });
  await callControl('deleteFaults', 'cleared');
}

async function recordInventory(recorder: Recorder): Promise<void> {
  const { callControl } = recorder;
  const domain = 'brewpilot.com';
  await callControl('postListing', 'listed', { body: { domain, price_cents: 250_000 } });
  await callControl('getInventory', 'some', { parameters: { q: 'brewpilot' } });
  await callControl('getListing', 'one', { parameters: { domain } });
  await callControl('patchListing', 'cheaper', {
    parameters: { domain },
    body: { price_cents: 225_000 },
  });
  await callControl('deleteListing', 'removed', { parameters: { domain } });
  await recorder.upload('postImport', 'text/csv', { format: 'csv', environment: 'LIVE' }, CSV);
}

async function recordClock({ callControl, call }: Recorder): Promise<void> {
  await callControl('getClock', 'frozen');
  await call('postQuote', 'magic', { body: { domain: 'held-order.test' } });
  await callControl('getClockUpcoming', 'soon', { parameters: { limit: 2 } });
  await callControl('postClockNext', 'reached');
  await callControl('postClockAdvance', 'forward', { body: { by: '11m' } });
  await callControl('postClockSet', 'forward', { body: { to: '2026-01-06T09:00:00Z' } });
  await callControl('postClockFreeze', 'frozen');
}

async function recordWorlds(recorder: Recorder): Promise<void> {
  const { callControl } = recorder;
  await callControl('postSnapshot', 'saved', { body: { name: 'paid' } });
  await callControl('getSnapshots', 'some');
  await callControl('postSnapshotRestore', 'restored', { parameters: { name: 'paid' } });
  await callControl('deleteSnapshot', 'removed', { parameters: { name: 'paid' } });
  await callControl('postWorld', 'forked', { body: { name: 'w1', fork: 'default' } });
  await callControl('getWorlds', 'both');
  await callControl('getWorld', 'one', { parameters: { name: 'w1' } });
  await recorder.moveWorld('w1');
  await callControl('deleteWorld', 'removed', { parameters: { name: 'w1' } });
  await callControl('postReset', 'reset');
  // The clock runs from here on.
  await callControl('postClockResume', 'running');
}

async function recordCredentials({ callControl }: Recorder): Promise<void> {
  const { key_id } = await callControl<{ key_id: string }>('postCredential', 'live', {
    body: { scopes: ['search', 'buy'], environment: 'LIVE', partner: 'acme' },
  });
  await callControl('getCredentials', 'all');
  await callControl('getCredential', 'one', { parameters: { key_id } });
  await callControl('postCredentialApprove', 'approved', { parameters: { key_id } });
  await callControl('deleteCredential', 'revoked', { parameters: { key_id } });
}

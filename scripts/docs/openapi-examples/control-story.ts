import type { InProcessSandbox } from '../../../src/index.ts';
import type { ExampleReceiver } from './receiver.ts';
import type { Recorder } from './recorder.ts';

const CSV =
  'domain,price_cents,category\nbrewpilot-one.com,199900,Coffee\nbrewpilot-two.com,149900,Coffee\n';

/** Calls every control API route that the partner scenario does not call. */
export async function tellControlStory(
  { steer, stream, call, moveWorld }: Pick<Recorder, 'steer' | 'stream' | 'call' | 'moveWorld'>,
  at: InProcessSandbox,
  hook: ExampleReceiver,
  { order, session }: { order: string; session: string },
): Promise<void> {
  await steer('getHealth', 'healthy');
  await steer('getStatus', 'running');
  await steer('listOrders', 'some', { parameters: { status: 'EXTERNALLY_PAID' } });
  await steer('getOrder', 'one', { parameters: { id: order } });
  await steer('getOrderStory', 'told', { parameters: { id: order } });
  await steer('getOrderWhyNot', 'not_yet', { parameters: { id: order, to: 'SETTLED' } });
  await steer('postCheckoutCancel', 'cancelled', { parameters: { id: session } });
  await refundASale({ steer, call });

  const { events } = await steer<{ events: { id: string }[] }>('listEvents', 'of_one_order', {
    parameters: { subject_id: order },
  });
  const event = events[0]?.id ?? '';
  hook.status = 503;
  const { delivery_id } = await steer<{ delivery_id: string }>('postEventResend', 'queued', {
    parameters: { id: event },
  });
  await at.idle();
  await steer('getDeliveries', 'not_arrived', { parameters: { status: 'pending' } });
  await steer('getDelivery', 'not_arrived', { parameters: { id: delivery_id } });
  hook.status = 200;
  await steer('postDeliveryRetry', 'due_now', { parameters: { id: delivery_id } });
  await steer('postIdle', 'idle', { body: { timeout_ms: 5_000 } });
  await steer('putWebhooks', 'registered', {
    body: { partner: 'acme', url: hook.url, secret: 'whsec_example' },
  });
  await steer('getWebhooks', 'all');
  await steer('postWebhooksFire', 'made_up', {
    body: { type: 'order.settled', url: hook.url, secret: 'whsec_example' },
  });
  await steer('postWait', 'order', {
    body: { for: 'order', id: order, state: 'EXTERNALLY_PAID' },
  });

  const { requests } = await steer<{ requests: { request_id: string }[] }>(
    'getRequests',
    'newest',
    { parameters: { api: 'partner', method: 'POST', limit: 1 } },
  );
  const parameters = { id: requests[0]?.request_id ?? '' };
  await steer('getRequest', 'explained', { parameters });
  await steer('getRequestMarkdown', 'for_a_ticket', { parameters });
  await steer('getRequestCurl', 'again', { parameters });
  await tellOfFaults({ steer });
  await tellOfInventory({ steer, stream });
  await steer('postClockUntil', 'met', { body: { event: 'order.settled' } });
  await tellOfTime({ steer, call });
  await steer('deleteWebhooks', 'removed', { parameters: { url: hook.url } });
  await tellOfCoverage({ steer });
  await tellOfWorlds({ steer, moveWorld });
  await tellOfCredentials({ steer });
  await steer('postRateLimitsReset', 'reset');
  await steer('deleteRequests', 'cleared');
  await steer('getOpenapi', 'partner');
  await steer('postStop', 'stopping');
}

async function refundASale({ steer, call }: Pick<Recorder, 'steer' | 'call'>): Promise<void> {
  const opened = await call<{ session_id: string }>('postCheckoutSession', 'magic', {
    body: { domain: 'held-order.test' },
  });
  const paid = await steer<{ transaction_id: string }>('postCheckoutPay', 'by_anybody', {
    parameters: { id: opened.session_id },
  });
  await steer('postTransactionRefund', 'refunded', { parameters: { id: paid.transaction_id } });
}

async function tellOfCoverage({ steer }: Pick<Recorder, 'steer'>): Promise<void> {
  await steer('postGauntletResult', 'passed', { body: { url: 'http://127.0.0.1:3000/webhooks' } });
  await steer('getCoverage', 'met', { parameters: { group: 'hook', status: 'met' } });
  await steer('getCoverageExport', 'labelled', { parameters: { label: 'shard 1' } });
  const content = { items_version: 1, require: ['hook.gauntlet'] };
  await steer('postGolive', 'with_a_gate', {
    body: { gate: { file: 'sandlot.golive.json', content } },
  });
  await steer('deleteCoverage', 'one_item', { parameters: { id: 'hook.gauntlet' } });
}

async function tellOfFaults({ steer }: Pick<Recorder, 'steer'>): Promise<void> {
  const { fault_id } = await steer<{ fault_id: string }>('postFault', 'of_calls', {
    body: {
      match: { method: 'GET', path: '/pricing', every: 3 },
      effect: { status: 500, code: 'internal_error' },
    },
  });
  await steer('postFault', 'of_webhooks', {
    body: { match: { event: 'order.settled' }, webhook: { duplicate: true }, times: 1 },
  });
  await steer('getFaults', 'both');
  await steer('getFault', 'one', { parameters: { fault_id } });
  await steer('deleteFault', 'removed', { parameters: { fault_id } });
  await steer('deleteFaults', 'cleared');
}

async function tellOfInventory({ steer, stream }: Pick<Recorder, 'steer' | 'stream'>) {
  const domain = 'brewpilot.com';
  await steer('postListing', 'listed', { body: { domain, price_cents: 250_000 } });
  await steer('getInventory', 'some', { parameters: { q: 'brewpilot' } });
  await steer('getListing', 'one', { parameters: { domain } });
  await steer('patchListing', 'cheaper', {
    parameters: { domain },
    body: { price_cents: 225_000 },
  });
  await steer('deleteListing', 'removed', { parameters: { domain } });
  await stream('postImport', 'text/csv', { environment: 'LIVE' }, CSV);
  await stream('getExport', 'text/csv', { environment: 'LIVE', format: 'csv' });
  await stream('getExport', 'application/x-ndjson', { environment: 'LIVE', format: 'ndjson' });
}

async function tellOfTime({ steer, call }: Pick<Recorder, 'steer' | 'call'>): Promise<void> {
  await steer('getClock', 'frozen');
  await call('postQuote', 'magic', { body: { domain: 'held-order.test' } });
  await steer('getClockUpcoming', 'soon', { parameters: { limit: 2 } });
  await steer('postClockNext', 'reached');
  await steer('postClockAdvance', 'forward', { body: { by: '11m' } });
  await steer('postClockSet', 'forward', { body: { to: '2026-01-06T09:00:00Z' } });
  await steer('postClockFreeze', 'frozen');
}

async function tellOfWorlds({ steer, moveWorld }: Pick<Recorder, 'steer' | 'moveWorld'>) {
  await steer('postSnapshot', 'saved', { body: { name: 'paid' } });
  await steer('getSnapshots', 'some');
  await steer('postSnapshotRestore', 'restored', { parameters: { name: 'paid' } });
  await steer('deleteSnapshot', 'removed', { parameters: { name: 'paid' } });
  await steer('postWorld', 'forked', { body: { name: 'w1', fork: 'default' } });
  await steer('getWorlds', 'both');
  await steer('getWorld', 'one', { parameters: { name: 'w1' } });
  await moveWorld('w1');
  await steer('deleteWorld', 'removed', { parameters: { name: 'w1' } });
  await steer('postReset', 'reset');
  // The clock runs from here on.
  await steer('postClockResume', 'running');
}

async function tellOfCredentials({ steer }: Pick<Recorder, 'steer'>): Promise<void> {
  const { key_id } = await steer<{ key_id: string }>('postCredential', 'live', {
    body: { scopes: ['search', 'buy'], environment: 'LIVE', partner: 'acme' },
  });
  await steer('getCredentials', 'all');
  await steer('getCredential', 'one', { parameters: { key_id } });
  await steer('postCredentialApprove', 'approved', { parameters: { key_id } });
  await steer('deleteCredential', 'revoked', { parameters: { key_id } });
}

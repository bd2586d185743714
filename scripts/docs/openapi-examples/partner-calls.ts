import type { InProcessSandbox } from '../../../src/index.ts';
import type { ExampleReceiver } from './receiver.ts';
import type { Recorder } from './recorder.ts';

interface Sold {
  public_id: string;
}

const BUYER = { email: 'ada@example.com', name: 'Ada Lovelace', country: 'GB' };

/** Makes a sale of each kind and calls every endpoint of the partner API. */
export async function recordPartnerCalls(
  { call }: Recorder,
  at: InProcessSandbox,
  hook: ExampleReceiver,
): Promise<void> {
  const { domains } = await call<{ domains: { domain: string; price_cents: number }[] }>(
    'searchDomains',
    'found',
    { parameters: { q: 'coffee' } },
  );
  const [first, second, third, fourth] = domains;
  if (!first || !second || !third || !fourth) throw new Error('too few domains about coffee');
  await call('showDomain', 'listed', { parameters: { name: first.domain } });
  await call('showAvailability', 'listed', { parameters: { domain: first.domain } });
  await call('showAvailability', 'unlisted', { parameters: { domain: 'not-listed.example' } });
  await call('showPricing', 'listed', { parameters: { domain: first.domain } });
  await call('putWebhook', 'registered', { body: { url: hook.url, secret: 'whsec_example' } });

  const quote = await call<{ quote_id: string }>('postQuote', 'quoted', {
    body: { domain: first.domain },
  });
  const sold = await call<Sold>('postOrder', 'by_quote', {
    body: { quote_id: quote.quote_id, external_payment_ref: 'pi_3Qh7' },
    headers: { 'Idempotency-Key': 'example-1' },
  });
  const sale = { currency: 'USD', buyer: BUYER };
  await call('postOrder', 'by_price', {
    body: {
      domain: second.domain,
      expected_price: second.price_cents,
      ...sale,
      return_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/basket',
    },
    headers: { 'Idempotency-Key': 'example-2' },
  });
  const regretted = await call<Sold>('postOrder', 'by_sale_price', {
    body: { domain: third.domain, sale_price_cents: third.price_cents, ...sale },
    headers: { 'Idempotency-Key': 'example-3' },
  });
  for (const step of [{ action: 'hold' }, { action: 'clear' }, { to: 'TRANSFER_COMPLETED' }]) {
    await at.control.post(`/orders/${sold.public_id}/advance`, step);
  }
  await call('postRefund', 'refunded', {
    body: { public_id: regretted.public_id, reason: 'The buyer changed their mind.' },
  });
  await at.idle();

  const link = await call<{ link_id: string; url: string }>('postLink', 'domain', {
    body: { kind: 'domain', domain: fourth.domain, label: 'newsletter' },
  });
  await call('postLink', 'generic', { body: { kind: 'generic' } });
  await call('postLink', 'product', { body: { kind: 'product', product: 'logo' } });
  await at.fetch(link.url);
  const session = await call<{ session_id: string }>('postCheckoutSession', 'opened', {
    body: {
      domain: fourth.domain,
      buyer_email: BUYER.email,
      return_url: 'https://shop.example/thanks',
      link_id: link.link_id,
    },
  });
  await call('postCheckoutSession', 'smallest', {
    body: { domain: fourth.domain },
  });
  const paid = await at.control.post<{ transaction_id: string }>(
    `/checkout-sessions/${session.session_id}/pay`,
    { buyer: BUYER },
  );
  await at.control.post(`/transactions/${paid.transaction_id}/deliver`);

  await call('getEligibility', 'eligible', { parameters: { domain: 'wanted.example' } });
  await call('getEligibility', 'ineligible', { parameters: { domain: 'active-site.test' } });
  const input = { tier: 'managed', buyer_email: BUYER.email };
  const won = await call<{ case_id: string }>('postBrokerage', 'by_budget', {
    body: { domain: 'wanted.example', ...input, budget: 500_000 },
  });
  await call('postBrokerage', 'by_budget_cents', {
    body: { domain: 'another.example', ...input, budget_cents: 250_000 },
  });
  for (const step of [{ to: 'NEGOTIATING' }, { to: 'COMPLETED', deal_price_cents: 420_000 }]) {
    await at.control.post(`/brokerage/${won.case_id}/advance`, step);
  }
  await at.control.post('/settlements/run');
  await at.control.post('/payouts/run');
  await at.idle();

  await call('getOrders', 'some', { parameters: { status: 'EXTERNALLY_PAID', limit: 10 } });
  await call('getOrder', 'settled', { parameters: { public_id: sold.public_id } });
  await call('getSettlements', 'some');
  await call('getTransactions', 'some', {
    parameters: { from: '2026-01-01', payment_model: 'marketplace_collected' },
  });
  await call('getPayouts', 'some');
  await call('getCases', 'some');
  await call('getCase', 'completed', { parameters: { case_id: won.case_id } });
  await call('getLinks', 'some');
  await call('getMyClicks', 'some', { parameters: { from: '2026-01-01', to: '2026-02-01' } });
  await call('getMySales', 'some');
  await call('getMyCommissions', 'some');
  await call('getMyPayouts', 'some');
  await call('getAnalytics', 'some', { parameters: { from: '2026-01-01', to: '2026-02-01' } });
  await call('getEvents', 'first_page', { parameters: { limit: 2 } });
}

// The tests of a partner who has no app yet: node suite.mjs. With MISTAKE=new-key they retry in a wrong way.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ATTEMPTS, call, isTemporary, pause, send } from './client.mjs';

const domain = 'auto-complete.test';

/** Records a sale; a retry has the Idempotency-Key of the first attempt. */
async function placeOrder(data) {
  let key = randomUUID();
  for (let failures = 1; ; failures += 1) {
    const answer = await send('POST', '/orders', { data, key });
    if (!isTemporary(answer) || failures >= ATTEMPTS) return answer;
    if (process.env.MISTAKE === 'new-key') key = randomUUID();
    await pause(failures, answer);
  }
}

test('sells a domain at its price', async () => {
  const { body: pricing } = await call('GET', '/pricing', { query: { domain } });
  const { status, body: order } = await placeOrder({
    domain,
    expected_price: pricing.buy_now_price_cents,
    currency: pricing.currency,
    buyer: { email: 'ada@example.com' },
    external_payment_ref: 'pay-1',
  });
  assert.equal(status, 201);
  const { body: found } = await call('GET', `/orders/${order.public_id}`);
  assert.equal(found.external_payment_ref, 'pay-1');
});

test('does not sell a domain that is not listed', async () => {
  const { status } = await call('POST', '/quotes', { data: { domain: 'active-site.test' } });
  assert.equal(status, 404);
});

// Registers a webhook receiver, sells the first domain of a search, and moves the order as the marketplace would.
import { createHash, createHmac, randomUUID } from 'node:crypto';

const { SANDLOT_URL, SANDLOT_KEY_ID, SANDLOT_SECRET, SANDLOT_CONTROL_TOKEN } = process.env;
const { RECEIVER_URL, WEBHOOK_SECRET } = process.env;

/** Sends a signed partner API request. The query must be canonical (docs/signing.md). */
async function call(method, path, data, query = '') {
  const body = data === undefined ? undefined : JSON.stringify(data);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const bodyHash = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  const canonical = [method, path, query, timestamp, nonce, bodyHash].join('\n');
  const signature = createHmac('sha256', SANDLOT_SECRET).update(canonical).digest('hex');
  return send(query === '' ? path : `${path}?${query}`, {
    method,
    body,
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
      'X-Service-Key-Id': SANDLOT_KEY_ID,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': `v1=${signature}`,
    },
  });
}

function control(path, data) {
  return send(`/_sandbox${path}`, {
    method: 'POST',
    body: JSON.stringify(data),
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${SANDLOT_CONTROL_TOKEN}`,
    },
  });
}

async function send(path, init) {
  const response = await fetch(SANDLOT_URL + path, init);
  const document = await response.json();
  if (!response.ok) throw new Error(`${init.method} ${path}: ${JSON.stringify(document)}`);
  return document;
}

await call('PUT', '/api/partner/webhooks', { url: RECEIVER_URL, secret: WEBHOOK_SECRET });
// The state outlives the containers, so each run sells another domain.
const { domains } = await call('GET', '/api/partner/v1/domains/search', undefined, 'q=coffee');
const { quote_id } = await call('POST', '/api/partner/v1/quotes', { domain: domains[0].domain });
const order = await call('POST', '/api/partner/v1/orders', {
  quote_id,
  external_payment_ref: `pay-${randomUUID()}`,
});
const moved = await control(`/orders/${order.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
await control('/idle', {});
console.log(`${order.public_id} ${moved.status}`);

// What the integration of a partner does: node integration.mjs buy|catch-up|rotate SANDBOX RECEIVER
import { createHash, createHmac, randomUUID } from 'node:crypto';

const [action, sandbox, receiver] = process.argv.slice(2);
const KEY_ID = 'dmk_sandbox_local';
const SECRET = 'dms_sandbox_local_not_a_secret';

async function call(method, path, body) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const bodyHash = createHash('sha256').update(text).digest('hex');
  const canonical = [method, path, '', timestamp, nonce, bodyHash].join('\n');
  const response = await fetch(sandbox + path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
      'X-Service-Key-Id': KEY_ID,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': `v1=${createHmac('sha256', SECRET).update(canonical).digest('hex')}`,
    },
    ...(body !== undefined && { body: text }),
  });
  if (!response.ok) throw new Error(await response.text());
}

switch (action) {
  case 'buy': {
    const { SANDLOT_TEST_DOMAIN: domain, SANDLOT_TEST_PRICE_CENTS: price } = process.env;
    await call('POST', '/api/partner/v1/orders', {
      domain,
      expected_price: Number(price),
      currency: 'USD',
      buyer: { email: 'buyer@example.com' },
    });
    break;
  }
  case 'catch-up':
    await call('GET', '/api/partner/v1/events');
    break;
  case 'rotate':
    await fetch(`${receiver}/rotated`, { method: 'POST' });
    await call('PUT', '/api/partner/webhooks', { url: receiver, secret: 'whsec_new' });
    break;
}

// A worker of a parallel test suite, with nothing but fetch and node:crypto. usage: worker.mjs URL N
import { createHash, createHmac, randomUUID } from 'node:crypto';

const [url, n] = process.argv.slice(2);
const world = `w${n}`;

const control = async (method, path, body) => {
  const response = await fetch(`${url}/_sandbox${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
};

await control('POST', '/worlds', { name: world, fork: 'default' });
const { key_id, secret } = await control('POST', `/credentials?world=${world}`, {
  partner: 'local',
});

const call = async (method, path, query, body = '') => {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const nonce = randomUUID();
  const hash = createHash('sha256').update(body).digest('hex');
  const canonical = [method, path, query, timestamp, nonce, hash].join('\n');
  const response = await fetch(`${url}${path}${query && `?${query}`}`, {
    method,
    headers: {
      'X-Service-Key-Id': key_id,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': `v1=${createHmac('sha256', secret).update(canonical).digest('hex')}`,
      'Idempotency-Key': nonce,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
};

// Worker n is rejected n times, each by an error of its own.
const code = ['conflict', 'forbidden', 'not_found', 'internal_error'][Number(n) - 1];
const { fault_id } = await control('POST', `/faults?world=${world}`, {
  match: { path: '/orders' },
  effect: { code },
  times: Number(n),
});
const rejections = [];
for (;;) {
  const rejected = await call('GET', '/api/partner/v1/orders', '').then(
    () => undefined,
    (error) => error.message,
  );
  if (rejected === undefined) break;
  rejections.push(/"code":"(\w+)"/.exec(rejected)?.[1]);
}

const sale = {
  domain: 'auto-complete.test',
  expected_price: 199_900,
  currency: 'USD',
  buyer: { email: `worker-${n}@example.com` },
};
const order = await call('POST', '/api/partner/v1/orders', '', JSON.stringify(sale));
// One step of the magic order, then the rest of this worker's hours with the order taken off its rails.
await control('POST', `/clock/advance?world=${world}`, { by: '1s' });
await control('POST', `/orders/${order.public_id}/advance?world=${world}`, { action: 'refund' });
const hours = Number(n) * 3_600 - 1;
await control('POST', `/clock/advance?world=${world}`, { by: `${hours}s` });
await control('POST', `/idle?world=${world}`);

const { orders } = await call('GET', '/api/partner/v1/orders', '');
const { events } = await call('GET', '/api/partner/v1/events', '');
const { faults } = await control('GET', `/faults?world=${world}`);
const { now } = await control('GET', `/clock?world=${world}`);
process.stdout.write(
  JSON.stringify({
    world,
    key_id,
    order: order.public_id,
    clock: now,
    orders: orders.length,
    events: events.map((event) => event.type),
    fault_id,
    rejections,
    faults: faults.map(({ effect, hits }) => [effect.code, hits]),
  }),
);

// A test with a webhook receiver of its own: sells a domain and waits for its event. node receiver.mjs
import { once } from 'node:events';
import { createServer } from 'node:http';
import { bodyOf, call, isGenuine } from './client.mjs';

const received = new Map();
const server = createServer(async (request, response) => {
  const raw = await bodyOf(request);
  const genuine = isGenuine(raw, request.headers['x-service-signature']);
  response.writeHead(genuine ? 200 : 401).end();
  if (!genuine) return;
  const { id, data } = JSON.parse(raw);
  received.set(id, data.order.public_id);
  server.emit('event');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const { SANDLOT_WEBHOOK_SECRET: secret = 'whsec_local' } = process.env;
const url = `http://127.0.0.1:${server.address().port}/`;
await call('PUT', '/webhooks', { data: { url, secret } });
const quote = await call('POST', '/quotes', { data: { domain: 'held-order.test' } });
const order = await call('POST', '/orders', {
  data: { quote_id: quote.body?.quote_id, external_payment_ref: 'pay-1' },
  key: 'sale-1',
});
const isThere = () => [...received.values()].includes(order.body?.public_id);
const timeout = AbortSignal.timeout(1_000);
while (order.status === 201 && !isThere() && !timeout.aborted) {
  await once(server, 'event', { signal: timeout }).catch(() => undefined);
}
process.exit(isThere() ? 0 : 1);

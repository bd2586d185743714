// What a client and a receiver see: node probe.mjs appends to the file LOG what it gets for a quote, an order and its
// price, without a retry; node probe.mjs receiver appends its start, and the webhooks that it receives at PORT.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { bodyOf, send } from './client.mjs';

const { PORT = '3000', LOG = 'log.jsonl', SANDLOT_URL } = process.env;
const log = (line) => appendFileSync(LOG, `${JSON.stringify(line)}\n`);
const clock = async () => (await fetch(`${SANDLOT_URL}/_sandbox/clock`)).json();
const domain = 'auto-complete.test';

if (process.argv[2] === 'receiver') {
  const server = createServer(async (request, response) => {
    const raw = await bodyOf(request);
    if (request.method === 'POST') {
      const { id, type } = JSON.parse(raw);
      log({ type, id, at: (await clock()).now });
    }
    response.end();
  });
  server.listen(Number(PORT), '127.0.0.1', () => log({ started: process.pid }));
} else {
  const quote = await send('POST', '/quotes', { data: { domain } });
  const begun = performance.now();
  const data = { quote_id: quote.body.quote_id, external_payment_ref: 'pay-1' };
  const read = (text) => text;
  const answer = await send('POST', '/orders', { data, key: 'sale-1', read });
  const ms = performance.now() - begun;
  const { body: pricing } = await send('GET', '/pricing', { query: { domain } });
  const { body: found } = await send('GET', '/orders');
  const { status, retryAfter, type, body } = answer;
  const orders = found.orders.length;
  const prices = [quote.body.price_cents, pricing.buy_now_price_cents];
  const { now } = await clock();
  log({ order: status, type, retryAfter, body, ms, orders, prices, now });
}

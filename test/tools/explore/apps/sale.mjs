// Sells a domain: node sale.mjs. If the first attempt has no response, it begins again with another
// Idempotency-Key, or with the same one if there is a file "fixed". If there is a file "closed", it makes no order at all.
import { existsSync } from 'node:fs';
import { send } from './client.mjs';

async function getQuote() {
  const { body } = await send('POST', '/quotes', { data: { domain: 'auto-complete.test' } });
  return body?.quote_id;
}

const order = (quote_id, key) =>
  send('POST', '/orders', { data: { quote_id, external_payment_ref: 'pay-1' }, key });

const quote = await getQuote();
if (quote && !existsSync('closed')) {
  const { status } = await order(quote, 'first');
  if (status !== 201 && existsSync('fixed')) await order(quote, 'first');
  else if (status !== 201) await order(await getQuote(), 'second');
}

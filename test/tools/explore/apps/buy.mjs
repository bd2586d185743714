// Buys a domain in the shop at PORT: node buy.mjs [DOMAIN [REF]], with --refund to return it, with --no-wait to leave early.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { refund: { type: 'boolean' }, 'no-wait': { type: 'boolean' } },
});
const [domain = 'auto-complete.test', ref = 'pay-1'] = positionals;
const SHOP = `http://127.0.0.1:${process.env.PORT ?? '3000'}`;

/** Sends a request to the shop, then looks until it is done. The status is 0 if the shop is down. */
async function ask(page, body, isDone) {
  try {
    let response = await fetch(`${SHOP}/${page}`, { method: 'POST', body: JSON.stringify(body) });
    let sale = await response.json();
    const end = Date.now() + 5_000;
    while (response.ok && !isDone(sale) && !values['no-wait'] && Date.now() < end) {
      await sleep(20);
      response = await fetch(`${SHOP}/purchases/${ref}`);
      sale = await response.json();
    }
    return response.ok && (values['no-wait'] || isDone(sale));
  } catch (error) {
    process.stderr.write(`The shop does not respond: ${error.cause?.code ?? error.message}\n`);
    return false;
  }
}

let isDone = await ask('buy', { domain, ref }, ({ status }) => status === 'ordered');
if (isDone && values.refund) {
  isDone = await ask(`refund/${ref}`, {}, ({ refund }) => refund === 'answered');
}
if (!isDone) process.stderr.write(`The purchase of ${domain} failed.\n`);
process.exitCode = isDone ? 0 : 1;

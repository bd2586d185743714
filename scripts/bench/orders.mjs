import { signedBytes, signedHeaders } from './signed.mjs';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Returns a function that signs as many orders as requested, each for another domain of the inventory at its price. */
export async function orderRequests(port) {
  const listed = (await inventory(port)).filter(({ domain }) => !domain.endsWith('.test'));
  return (count) => {
    const ready = listed.splice(0, count).map(({ domain, price_cents: price }) => {
      const sale = { domain, expected_price: price, currency: 'USD', buyer: { email: 'a@b.co' } };
      const headers = { ...JSON_TYPE, 'Idempotency-Key': domain };
      return signedBytes('POST', '/api/partner/v1/orders', JSON.stringify(sale), headers);
    });
    return () => ready.pop();
  };
}

async function inventory(port) {
  const rows = [];
  for (let cursor = ''; cursor !== null; ) {
    const url = `http://127.0.0.1:${port}/_sandbox/inventory?limit=100${cursor}`;
    const { listings, next_cursor: next } = await (await fetch(url)).json();
    rows.push(...listings);
    cursor = next && `&cursor=${next}`;
  }
  return rows;
}

export async function registerWebhook(port, url) {
  const target = '/api/partner/webhooks';
  const body = JSON.stringify({ url, secret: 'whsec_bench' });
  const headers = { ...JSON_TYPE, ...signedHeaders('PUT', target, body) };
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { method: 'PUT', body, headers });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Waits until nothing is being delivered and nothing is due. */
export async function idle(port) {
  const url = `http://127.0.0.1:${port}/_sandbox/idle`;
  const answer = await fetch(url, { method: 'POST', body: '{"timeout_ms":60000}' });
  if (!answer.ok) throw new Error(await answer.text());
}

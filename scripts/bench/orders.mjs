import { listAll } from '../torture/server.ts';
import { signedBytes } from './signed.mjs';

/** Returns a function that signs as many orders as requested, each for another domain of the inventory at its price. */
export async function orderRequests(control) {
  const listings = await listAll(control, '/inventory', 'listings');
  const listed = listings.filter(({ domain }) => !domain.endsWith('.test'));
  return (count) => {
    const ready = listed.splice(0, count).map(({ domain, price_cents: price }) => {
      const sale = { domain, expected_price: price, currency: 'USD', buyer: { email: 'a@b.co' } };
      const headers = { 'Idempotency-Key': domain };
      return signedBytes('POST', '/api/partner/v1/orders', JSON.stringify(sale), headers);
    });
    return () => ready.pop();
  };
}

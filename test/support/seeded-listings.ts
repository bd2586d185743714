import { createSandbox } from '../../src/index.ts';
import { INVENTORY } from './sandbox.ts';

/** A domain that the default seed lists, with its price. */
export interface SeededListing {
  domain: string;
  price_cents: number;
  currency: string;
}

let known: Promise<SeededListing[]> | undefined;

/** Returns the n-th ordinary domain that a fresh `sandbox()` lists; the same in every test. */
export async function seededListing(n = 0): Promise<SeededListing> {
  known ??= findAll();
  const found = (await known)[n];
  if (!found) throw new Error(`the tests know of fewer than ${n + 1} domains`);
  return found;
}

async function findAll(): Promise<SeededListing[]> {
  const shop = await createSandbox({ inventory: INVENTORY, port: false });
  const query = { environment: 'SANDBOX', limit: 100 };
  type Listings = { listings: (SeededListing & { category: string })[] };
  const { listings } = await shop.control.get<Listings>('/inventory', query);
  await shop.close();
  return listings
    .filter(({ category }) => category !== 'Magic')
    .map(({ domain, price_cents, currency }) => ({ domain, price_cents, currency }));
}

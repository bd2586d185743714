import { createSandbox } from '../../src/index.ts';
import { documented } from './openapi/watch.ts';
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
  const shop = documented(
    await createSandbox({ inventory: INVENTORY, port: false, rateLimits: false }),
  );
  const found = new Map<string, SeededListing>();
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    const target = `/api/partner/v1/domains/search?q=${letter}`;
    const response = await shop.call({ method: 'GET', target });
    const { domains } = (await response.json()) as {
      domains: (SeededListing & { category: string })[];
    };
    for (const { domain, price_cents, currency, category } of domains) {
      if (category !== 'Magic') found.set(domain, { domain, price_cents, currency });
    }
  }
  await shop.close();
  return [...found.values()];
}

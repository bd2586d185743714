import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { mint, mintLive, orderFor } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { found, importListings } from '../../support/search.ts';

const NAME = 'zebrabrewpilot.com';
const LISTING = { domain: NAME, price_cents: 40_000, currency: 'USD' };

async function withName(): Promise<InProcessSandbox> {
  const at = await sandbox({ rateLimits: false });
  await at.control.post('/inventory', LISTING);
  expect(await found(at, 'zebra')).toEqual([NAME]);
  return at;
}

describe('search follows the inventory', () => {
  test('a sold domain disappears, and is back when the sale is refunded', async () => {
    const at = await withName();
    const { public_id } = await orderFor(at, LISTING);
    for (const q of ['zebra', 'zebrabrewpilot', NAME, 'zebr', 'zebra pilot']) {
      expect(await found(at, q), q).not.toContain(NAME);
    }
    await at.control.post(`/orders/${public_id}/advance`, { action: 'refund' });
    expect(await found(at, 'zebra')).toEqual([NAME]);
    expect(await found(at, 'zebr')).toContain(NAME);
  });

  test('sold domains never come before those for sale', async () => {
    const at = await sandbox({ rateLimits: false });
    const names = Array.from({ length: 120 }, (_, n) => `zebra${n + 1}.com`);
    await importListings(at, names);
    for (const domain of names.slice(0, -2)) {
      await orderFor(at, { domain, price_cents: 1000, currency: 'USD' });
    }
    expect((await found(at, 'zebra')).toSorted()).toEqual(names.slice(-2).toSorted());
    expect((await found(at, 'zebra')).toSorted()).toEqual(names.slice(-2).toSorted());
  });

  test('category, keywords and status that change count at once', async () => {
    const at = await withName();
    await at.control.patch(`/inventory/${NAME}`, { keywords: ['quokka'], category: 'Wombatry' });
    for (const q of ['quokka', 'wombatry', 'zebra']) expect(await found(at, q)).toEqual([NAME]);
    await at.control.patch(`/inventory/${NAME}`, { status: 'sold' });
    expect(await found(at, 'quokka')).toEqual([]);
    await at.control.patch(`/inventory/${NAME}`, { status: 'listed', keywords: ['numbat'] });
    expect(await found(at, 'quokka')).toEqual([]);
    expect(await found(at, 'numbat')).toEqual([NAME]);
    await at.control.post('/inventory', { ...LISTING, domain: 'zorqupilot.com' });
    expect(await found(at, 'aviator')).not.toContain('zorqupilot.com');
    await at.control.patch('/inventory/zorqupilot.com', { keywords: ['zorqu'] });
    expect(await found(at, 'aviator')).toContain('zorqupilot.com');
  });

  test('SANDBOX and LIVE find their own, also when one of them is replaced', async () => {
    const at = await withName();
    const live = await mintLive(at);
    const replace = (environment: string, domain: string) =>
      importListings(at, [domain], { environment, mode: 'replace' });
    await replace('LIVE', 'zebralive.com');
    expect(await found(at, 'zebra', live)).toEqual(['zebralive.com']);
    expect(await found(at, 'zebra')).toEqual([NAME]);
    await replace('SANDBOX', 'quokka.com');
    expect(await found(at, 'zebra')).toEqual([]);
    expect(await found(at, 'quokka')).toEqual(['quokka.com']);
    expect(await found(at, 'zebra', live)).toEqual(['zebralive.com']);
  });

  test('a reset, a snapshot and a fork carry what is found', async () => {
    const at = await withName();
    await at.control.post('/snapshots', { name: 'with' });
    await at.control.post('/worlds', { name: 'copy', fork: 'default' });
    const inCopy = await mint(at, { world: 'copy' });
    await orderFor(at, LISTING);
    expect(await found(at, 'zebra')).toEqual([]);
    expect(await found(at, 'zebra', inCopy)).toEqual([NAME]);
    await at.control.post('/snapshots/with/restore');
    expect(await found(at, 'zebra')).toEqual([NAME]);
    await at.reset();
    expect(await found(at, 'zebra')).toEqual([]);
    expect((await found(at, 'money')).length).toBeGreaterThan(0);
  });
});

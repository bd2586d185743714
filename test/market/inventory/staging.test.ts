import { expect, test } from 'vitest';
import { BadLines } from '../../../src/market/inventory/import/rows.ts';
import { Staging } from '../../../src/market/inventory/import/staging.ts';
import { addListing } from '../../../src/market/inventory/inventory.ts';
import { UNSEEN } from '../../../src/world/inputs.ts';
import { recordedSandbox } from '../../support/recorded-sandbox.ts';

test('a domain that is added after the first of several checks makes the import conflict', async () => {
  const { world } = await recordedSandbox();
  const bad = new BadLines();
  const staging = await world.transaction(UNSEEN, () => {
    const created = new Staging(world.store, 'SANDBOX', 'add', bad);
    const rows = Array.from({ length: 2_001 }, (_, n) => ({
      line: n + 2,
      input: { domain: `zebra${n}.com`, price_cents: 100 },
    }));
    created.add(rows);
    return created;
  });
  const add = (domain: string) =>
    world.transaction(UNSEEN, (tx) => addListing(tx, 'SANDBOX', { domain, price_cents: 5 }));
  await add('zebra2000.com');
  expect(await world.transaction(UNSEEN, () => staging.check())).toBe(true);
  await add('zebra7.com');
  expect(await world.transaction(UNSEEN, () => staging.check())).toBe(false);
  expect(() => bad.assertNone('body')).toThrow(
    'body: 1 bad line, nothing was imported\nline 2002: domain: zebra2000.com is already in the SANDBOX inventory, listed',
  );
  await expect(world.transaction(UNSEEN, () => staging.commit())).rejects.toThrow(
    'a domain of the file was added during the import',
  );
});

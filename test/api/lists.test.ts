import { expect, test } from 'vitest';
import { ask, got, walked } from '../support/calls.ts';
import { caseFor, checkoutSale, completedOrder, linkFor, settle } from '../support/money.ts';
import { invalid, rejection } from '../support/responses.ts';
import { sharedSandbox } from '../support/sandbox.ts';

/** Path, name of the array, and id of its rows. That of another partner is in isolation.test.ts. */
const LISTS = [
  ['/orders', 'orders', 'public_id'],
  ['/settlements', 'settlements', 'statement_id'],
  ['/transactions', 'transactions', 'transaction_id'],
  ['/payouts', 'payouts', 'payout_id'],
  ['/brokerage', 'cases', 'case_id'],
  ['/links', 'links', 'link_id'],
  ['/me/sales', 'sales', 'transaction_id'],
  ['/me/commissions', 'commissions', 'commission_id'],
  ['/me/payouts', 'payouts', 'payout_id'],
] as const;

const at = await sharedSandbox({ rateLimits: false });
for (let n = 0; n < 7; n += 1) {
  await caseFor(at, `wanted-${n}.example`);
  const { link_id } = await linkFor(at);
  const { transaction_id } = await checkoutSale(at, { link_id });
  await at.control.post(`/transactions/${transaction_id}/deliver`);
  await at.control.post('/payouts/run');
  await completedOrder(at);
  await settle(at);
  await at.control.post('/clock/advance', { by: '1d' });
}

test.each(LISTS)(
  '%s is newest first and complete page by page, with any page size',
  async (path, name, id) => {
    const { rows: all } = await walked<Record<string, string>>(at, path, name);
    const ids = all.map((row) => row[id]);
    expect(all.length).toBeGreaterThanOrEqual(5);
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
    for (const limit of [1, 3, all.length - 1, all.length, all.length + 1]) {
      const { rows, pages } = await walked(at, path, name, undefined, limit);
      expect(rows).toEqual(all);
      expect(pages).toBe(Math.ceil(all.length / limit));
    }
  },
);

test.each([...LISTS.map(([path]) => path), '/events'])('%s rejects a wrong limit', async (path) => {
  const wrong = ['0', '101', '-1', '1.5', 'ten', '', '1e1', '+5', '0x5', '9999999999', '١'];
  for (const limit of wrong) {
    const response = await rejection(await ask(at, `${path}?limit=${encodeURIComponent(limit)}`));
    expect(response, limit).toMatchObject(invalid('limit'));
  }
});

test.each(LISTS)('%s rejects a cursor that was not issued for it', async (path) => {
  const others = await Promise.all(
    LISTS.filter(([other]) => other !== path).map(async ([other]) => {
      const { next_cursor } = await got<{ next_cursor: string }>(at, `${other}?limit=1`);
      return next_cursor;
    }),
  );
  for (const cursor of ['', 'never-issued', ...others]) {
    expect(await rejection(await ask(at, `${path}?cursor=${cursor}`)), cursor).toMatchObject(
      invalid('cursor'),
    );
  }
});

test('no list takes a cursor from before a reset', async () => {
  const cursors = await Promise.all(
    LISTS.map(async ([path]) => {
      const { next_cursor } = await got<{ next_cursor: string }>(at, `${path}?limit=1`);
      return [path, next_cursor];
    }),
  );
  await at.reset();
  for (const [path, cursor] of cursors) {
    expect(cursor, path).toBeTruthy();
    expect(await rejection(await ask(at, `${path}?cursor=${cursor}`)), path).toMatchObject(
      invalid('cursor'),
    );
  }
});

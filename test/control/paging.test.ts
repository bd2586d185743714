import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { magic, orderFor, quoteFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';

type PageOf<Name extends string> = Record<Name, unknown[]> & { next_cursor: string | null };

/** A list, one row at a time. */
async function rowByRow<Name extends string>(at: InProcessSandbox, path: string, name: Name) {
  const rows: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page: PageOf<Name> = await at.control.get(path, { limit: 1, cursor });
    expect(page[name]).toHaveLength(1);
    rows.push(...page[name]);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

test('what is upcoming pages, also where several things fall due at one moment', async () => {
  const at = await sandbox();
  await register(at, (await receiver(500)).url);
  for (const domain of ['price-moves.test', 'held-order.test']) await quoteFor(at, domain);
  await orderFor(at, magic('auto-complete', 199_900));
  await orderFor(at, 0);
  await at.idle();
  const whole: PageOf<'upcoming'> = await at.control.get('/clock/upcoming');
  expect(whole.next_cursor).toBeNull();
  expect(whole.upcoming.map((each) => (each as { kind: string }).kind)).toEqual([
    'order_move',
    'delivery',
    'delivery',
    'quote_expiry',
    'quote_expiry',
  ]);
  expect(await rowByRow(at, '/clock/upcoming', 'upcoming')).toEqual(whole.upcoming);
});

test('worlds page, by name', async () => {
  const at = await sandbox();
  for (const name of ['w2', 'a1', 'w1']) await at.control.post('/worlds', { name });
  const worlds = await rowByRow(at, '/worlds', 'worlds');
  expect(worlds.map((each) => (each as { name: string }).name)).toEqual([
    'a1',
    'default',
    'w1',
    'w2',
  ]);
});

test.each(['/clock/upcoming', '/worlds'])('%s rejects a cursor of another list', async (path) => {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w1' });
  for (const n of [0, 1]) await orderFor(at, n);
  const { next_cursor } = await at.control.get<PageOf<'orders'>>('/orders', { limit: 1 });
  await expect(at.control.get(path, { cursor: next_cursor ?? '' })).rejects.toMatchObject({
    code: 'validation_error',
  });
});

import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { send } from '../support/calls.ts';
import { caseFor, checkoutSale, completedOrder, settle } from '../support/money.ts';
import { mint, quoteFor } from '../support/orders.ts';
import { register } from '../support/receiver.ts';
import { invalid } from '../support/responses.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';

type Row = Record<string, unknown>;
type Page = Record<string, Row[]> & { next_cursor: string | null; total: number };

const LISTS = [
  ['/checkout-sessions', 'checkout_sessions', 'session_id'],
  ['/transactions', 'transactions', 'transaction_id'],
  ['/brokerage', 'cases', 'case_id'],
  ['/settlements', 'settlements', 'statement_id'],
  ['/payouts', 'payouts', 'payout_id'],
] as const;

/** More lists that say how many items they have. */
const COUNTED = [
  ['/orders', 'orders', 'public_id'],
  ['/events', 'events', 'id'],
  ['/deliveries', 'deliveries', 'delivery_id'],
  ['/requests', 'requests', 'request_id'],
  ['/credentials', 'credentials', 'key_id'],
  ['/faults', 'faults', 'fault_id'],
  ['/worlds', 'worlds', 'name'],
  ['/snapshots', 'snapshots', 'name'],
  ['/webhooks', 'webhooks', 'url'],
] as const;

/** Two partners, each with three of everything that can be listed. */
async function trade(): Promise<InProcessSandbox> {
  const at = await sharedSandbox({ rateLimits: false });
  const acme = await mint(at, { partner: 'acme' });
  for (const key of [undefined, acme]) {
    const name = key ? 'acme' : 'local';
    await register(at, `http://127.0.0.1:9/${name}`, key && { key });
    for (const n of [1, 2, 3]) {
      await quoteFor(at, key ? 'quote-expires.test' : 'held-order.test', key);
      await at.control.post(
        `/transactions/${(await checkoutSale(at, { domain: 'auto-complete.test', key })).transaction_id}/deliver`,
      );
      await caseFor(at, `${name}-${n}.com`, key);
      await at.control.post('/payouts/run');
      await completedOrder(at, key);
      await settle(at);
      await at.control.post('/clock/advance', { by: '1d' });
      await at.control.post('/faults', {
        match: { domain: 'never.com' },
        effect: { code: 'conflict' },
      });
      await at.control.post('/worlds', { name: `${name}-${n}` });
      await at.control.post('/snapshots', { name: `${name}-${n}` });
    }
  }
  const other = await mint(at, { partner: 'other' });
  await register(at, 'http://127.0.0.1:9/other', { key: other });
  // All expire at one moment.
  for (const name of ['held-order', 'auto-complete', 'price-moves']) {
    await quoteFor(at, `${name}.test`);
  }
  return at;
}

const at = await trade();

async function rows(path: string, items: string, query: object = {}): Promise<Row[]> {
  return (await at.control.get<Page>(path, { limit: 100, ...query }))[items] ?? [];
}

test.each(LISTS)(
  '%s lists what every partner has, newest first, and names the partner',
  async (path, items, id) => {
    const listed = await rows(path, items);
    expect(listed.length).toBeGreaterThanOrEqual(6);
    const ids = listed.map((row) => String(row[id]));
    expect(ids).toEqual(ids.toSorted().reverse());
    const owners = new Set(listed.map(({ partner, partner_id }) => `${partner} ${partner_id}`));
    expect([...owners].map((owner) => owner.replace(/ptr_0.*/, 'ptr_…')).toSorted()).toEqual([
      'acme ptr_…',
      'local ptr_local',
    ]);
  },
);

test.each([...LISTS, ...COUNTED, ['/clock/upcoming', 'upcoming', 'id']] as const)(
  '%s pages without a gap, says how many there are, and rejects a cursor of another list',
  async (path, items, id) => {
    const all = await rows(path, items);
    expect(all.length).toBeGreaterThan(2);
    const paged: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page: Page = await at.control.get(path, { limit: 2, cursor });
      paged.push(...(page[items] ?? []).map((row) => row[id]));
      if (path !== '/clock/upcoming') expect(page.total).toBe(all.length);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(paged).toEqual(all.map((row) => row[id]));
    const other = path === '/payouts' ? '/transactions' : '/payouts';
    const { next_cursor } = await at.control.get<Page>(other, { limit: 1 });
    await expect(at.control.get(path, { cursor: next_cursor ?? '' })).rejects.toMatchObject({
      code: 'validation_error',
    });
  },
);

test.each([
  ['/credentials', 'credentials', 'key_id'],
  ['/worlds', 'worlds', 'name'],
  ['/snapshots', 'snapshots', 'name'],
] as const)('%s is ordered by name', async (path, items, name) => {
  const names = (await rows(path, items)).map((row) => String(row[name]));
  expect(names).toEqual(names.toSorted());
});

test.each(LISTS)(
  '%s/{id} shows each item of the list, and 404 for an unknown id',
  async (path, items, id) => {
    for (const row of await rows(path, items)) {
      expect(await at.control.get<Row>(`${path}/${row[id]}`)).toMatchObject(row);
    }
    await expect(at.control.get(`${path}/none`)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('none not found'),
    });
  },
);

test.each(LISTS)('%s takes the name or the id of a partner', async (path, items) => {
  const all = await rows(path, items);
  for (const partner of ['acme', 'local']) {
    const own = all.filter((row) => row.partner === partner);
    expect(await rows(path, items, { partner_id: partner })).toEqual(own);
    expect(await rows(path, items, { partner_id: own[0]?.partner_id })).toEqual(own);
  }
  expect(await rows(path, items, { partner_id: 'nobody' })).toEqual([]);
  expect(await rows(path, items, { environment: 'LIVE' })).toEqual([]);
});

test.each(LISTS.filter(([path]) => path !== '/payouts'))(
  '%s narrows to each state that it shows',
  async (path, items) => {
    const all = await rows(path, items);
    for (const status of new Set(all.map((row) => row.status))) {
      expect(await rows(path, items, { status })).toEqual(
        all.filter((row) => row.status === status),
      );
    }
  },
);

test.each(LISTS.filter(([path]) => !['/payouts', '/settlements'].includes(path)))(
  '%s takes a domain, in any case',
  async (path, items) => {
    const all = await rows(path, items);
    const [{ domain } = {}] = all.slice(2);
    const ofDomain = all.filter((row) => row.domain === domain);
    expect(await rows(path, items, { domain })).toEqual(ofDomain);
    expect(await rows(path, items, { domain: String(domain).toUpperCase() })).toEqual(ofDomain);
  },
);

test.each(['id', 'type', 'subject_id'])('events are narrowed to those of one %s', async (field) => {
  const all = await rows('/events', 'events');
  const value = all[2]?.[field];
  const query = { [field === 'id' ? 'event_id' : field]: value };
  expect(await rows('/events', 'events', query)).toEqual(all.filter((row) => row[field] === value));
});

test('the inventory says how many listings match', async () => {
  const { total: all } = await at.control.get<Page>('/inventory', { limit: 1 });
  const { listings = [], total } = await at.control.get<Page>('/inventory', { q: 'held' });
  expect(total).toBe(listings.length);
  expect(total).toBeLessThan(all);
});

test('a checkout session expires, and a paid one names its sale', async () => {
  const own = await sandbox();
  const sale = await checkoutSale(own);
  await send(own, '/checkout-session', { domain: 'auto-complete.test' });
  await own.control.post('/clock/advance', { by: '7d' });
  const sessions = (status: string) => own.control.get<Page>('/checkout-sessions', { status });
  const expired = { domain: 'auto-complete.test', status: 'EXPIRED', transaction_id: null };
  expect((await sessions('EXPIRED')).checkout_sessions).toMatchObject([expired]);
  const paid = { status: 'PAID', transaction_id: sale.transaction_id };
  expect((await sessions('PAID')).checkout_sessions).toMatchObject([paid]);
});

test('a list of settlement statements opens no period', async () => {
  const own = await sandbox();
  expect((await own.control.get<Page>('/settlements')).settlements).toEqual([]);
  expect((await own.control.get<Page>('/settlements')).settlements).toEqual([]);
  await settle(own, 'local');
  expect((await own.control.get<Page>('/settlements')).settlements).toMatchObject([
    { status: 'OPEN', partner: 'local' },
    { status: 'CLOSED', partner: 'local' },
  ]);
});

test('runs take the name of a partner, and reject one that nobody has', async () => {
  const own = await sandbox();
  const acme = await mint(own, { partner: 'acme' });
  await completedOrder(own, acme);
  await expect(settle(own, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
  expect(await settle(own, 'acme')).toMatchObject({
    settled_count: 1,
    orders: [{ partner: 'acme', partner_id: acme.partner_id }],
  });
});

test.each<[how: string, act: (at: InProcessSandbox) => Promise<unknown>]>([
  ['a reset', (own) => own.control.post('/reset')],
  ['a restore', (own) => own.control.post('/snapshots/local-1/restore')],
])('no list takes a cursor from before %s', async (_, act) => {
  const queries: [path: string, query?: object][] = [
    ...[...LISTS, ...COUNTED].map(([path]): [string] => [path]),
    ...([['/inventory'], ['/clock/upcoming'], ['/find', { q: 'order' }]] satisfies typeof queries),
  ];
  await quoteFor(at, 'held-order.test');
  await quoteFor(at, 'auto-complete.test');
  await send(at, '/checkout-session', { domain: 'auto-complete.test' });
  const cursors = new Map<string, string>();
  for (const [path, query] of queries) {
    const { next_cursor } = await at.control.get<Page>(path, { limit: 1, ...query });
    if (next_cursor !== null) cursors.set(path, next_cursor);
  }
  await act(at);
  for (const [path, query] of queries) {
    const cursor = cursors.get(path) ?? 'none';
    const call = at.control.get(path, { cursor, ...query });
    await expect(call, path).rejects.toMatchObject(invalid('cursor'));
  }
  expect(cursors.size).toBeGreaterThan(5);
});

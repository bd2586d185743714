import { afterAll, describe, expect, test } from 'vitest';
import { ControlApiError, type InProcessSandbox } from '../../src/index.ts';
import { TRANSITIONS } from '../../src/market/orders/order-actions.ts';
import {
  type MoveAction as Action,
  FIRST_ORDER_STATUS,
  ORDER_STATUSES,
  orderState,
  type OrderStatus as Status,
} from '../../src/store/schema/order-states.ts';
import { allEvents, orderFor, readOrder, withOrder } from '../support/orders.ts';
import { sandbox, sandboxOnDisk, sharedSandbox } from '../support/sandbox.ts';
import { isAvailable } from '../support/search.ts';
import { type SeededListing, seededListing } from '../support/seeded-listings.ts';
import { digestOf, stateFolder } from '../support/state-folder.ts';

type Row = readonly [from: Status, action: Action, to: Status, event: string | null];

/** The moves that are specified, with their events. */
const SPECIFIED: readonly Row[] = [
  ['EXTERNALLY_PAID', 'hold', 'MANUAL_REVIEW', null],
  ['MANUAL_REVIEW', 'clear', 'EXTERNALLY_PAID', 'order.manual_review_cleared'],
  ['EXTERNALLY_PAID', 'start_transfer', 'TRANSFER_IN_PROGRESS', 'order.transfer_started'],
  ['TRANSFER_IN_PROGRESS', 'complete_transfer', 'TRANSFER_COMPLETED', 'order.transfer_completed'],
  ['TRANSFER_COMPLETED', 'settle', 'SETTLED', 'order.settled'],
  ['EXTERNALLY_PAID', 'refund', 'REFUNDED', 'order.refunded'],
  ['MANUAL_REVIEW', 'refund', 'REFUNDED', 'order.refunded'],
  ['TRANSFER_IN_PROGRESS', 'refund', 'REFUNDED', 'order.refunded'],
  ['EXTERNALLY_PAID', 'cancel', 'CANCELLED', 'order.refunded'],
  ['MANUAL_REVIEW', 'cancel', 'CANCELLED', 'order.refunded'],
  ['TRANSFER_IN_PROGRESS', 'cancel', 'CANCELLED', 'order.refunded'],
];
const SPECIFIED_STATES: Readonly<
  Record<string, { transfer: string; sold: boolean; next?: Action }>
> = {
  EXTERNALLY_PAID: { transfer: 'pending', sold: true, next: 'start_transfer' },
  MANUAL_REVIEW: { transfer: 'held', sold: true, next: 'clear' },
  TRANSFER_IN_PROGRESS: { transfer: 'in_progress', sold: true, next: 'complete_transfer' },
  TRANSFER_COMPLETED: { transfer: 'completed', sold: true },
  SETTLED: { transfer: 'completed', sold: true },
  REFUNDED: { transfer: 'cancelled', sold: false },
  CANCELLED: { transfer: 'cancelled', sold: false },
};

/** The table of the product. A state that is added to it is tested like those of the specification. */
const TABLE: readonly Row[] = TRANSITIONS.flatMap(({ from, action, to, event }): Row[] =>
  from === null || action === 'record' ? [] : [[from, action, to, event]],
);
const STATUSES = ORDER_STATUSES;
const ACTIONS = [...new Set(TABLE.map(([, action]) => action))];

test('the table has the specified states, and between them exactly the specified moves', () => {
  const isSpecified = (state: string) => state in SPECIFIED_STATES;
  const moves = TABLE.filter(([from, , to]) => isSpecified(from) && isSpecified(to));
  expect(moves.toSorted()).toEqual(SPECIFIED.toSorted());
  const states = STATUSES.filter(isSpecified).map((status) => {
    const { transfer, sold, next } = orderState(status);
    return [status, { transfer, sold, next }];
  });
  expect(Object.fromEntries(states)).toEqual(SPECIFIED_STATES);
});

function rowFor(from: Status, action: Action) {
  return TABLE.find((row) => row[0] === from && row[1] === action);
}

/** Every step is a second of sandbox time apart, so that times can be told from each other. */
async function act(at: InProcessSandbox, id: string, action: Action): Promise<void> {
  await at.control.post('/clock/advance', { by: '1s' });
  if (action === 'settle') await at.control.post('/settlements/run');
  else await at.control.post(`/orders/${id}/advance`, { action });
}

async function orderIn(at: InProcessSandbox, state: Status, what: SeededListing | number = 0) {
  const order = await orderFor(at, what);
  for (const action of shortestWay(FIRST_ORDER_STATUS, state) ?? [])
    await act(at, order.public_id, action);
  return order.public_id;
}

async function rejectedBy(call: Promise<unknown>): Promise<ControlApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ControlApiError) return error;
  throw new Error(`expected a rejection, got ${String(error)}`);
}

describe.each(STATUSES)('an order in %s', async (from) => {
  const dataDir = stateFolder(afterAll);
  const still = await sharedSandbox({ dataDir });
  /** An order that no test moves: each rejection leaves the world as it is. */
  const stillId = await orderIn(still, from);

  /** Returns the rejection of a request, once it is proven to have changed nothing. */
  async function rejected(request: object): Promise<ControlApiError> {
    const digest = digestOf(dataDir);
    const error = await rejectedBy(still.control.post(`/orders/${stillId}/advance`, request));
    expect(digestOf(dataDir)).toBe(digest);
    return error;
  }

  test.each(ACTIONS.filter((action) => action !== 'settle'))(
    'responds to %s as the table says',
    async (action) => {
      const row = rowFor(from, action);
      if (!row) {
        const { status, code, message } = await rejected({ action });
        expect([status, code]).toEqual([409, 'conflict']);
        const open = TABLE.filter((each) => each[0] === from);
        for (const [, name, to] of open) {
          // An operator cannot choose it.
          expect(message).toContain(name === 'settle' ? 'settlement run' : `${name} (to ${to})`);
        }
        if (open.length === 0) expect(message).toContain('final');
        return;
      }
      const at = await sandbox();
      const sold = await seededListing();
      const id = await orderIn(at, from, sold);
      const before = await readOrder(at, id);
      expect(before.status).toBe(from);
      const eventsBefore = await allEvents(at);
      const [, , to, event] = row;
      await act(at, id, action);
      const after = await readOrder(at, id);
      expect(after).toMatchObject({ status: to, transfer_status: orderState(to).transfer });
      expect(after.updated_at > before.updated_at).toBe(true);
      expect(after.timeline).toEqual([
        ...before.timeline,
        { status: to, at: after.updated_at, event, note: null },
      ]);
      const { public_id, domain, sale_price_cents, currency } = after;
      const data = { order: { public_id, domain, status: to, sale_price_cents, currency } };
      const told = { type: event, created_at: after.updated_at, subject_id: id, data };
      expect(await allEvents(at)).toEqual([
        ...eventsBefore,
        ...(event === null ? [] : [expect.objectContaining(told)]),
      ]);
      expect(await isAvailable(at, sold.domain)).toBe(!orderState(to).sold);
    },
  );

  test('is settled by a settlement run only once its transfer is completed', async () => {
    const at = await sandbox();
    const id = await orderIn(at, from);
    const before = await readOrder(at, id);
    const eventsBefore = await allEvents(at);
    await at.control.post('/clock/advance', { by: '1s' });
    const run = await at.control.post<{ settled_count: number }>('/settlements/run');
    const after = await readOrder(at, id);
    if (from !== 'TRANSFER_COMPLETED') {
      expect(run.settled_count).toBe(0);
      expect(after).toEqual(before);
      expect(await allEvents(at)).toEqual(eventsBefore);
      return;
    }
    expect(run.settled_count).toBe(1);
    expect(after.status).toBe('SETTLED');
    const entry = { status: 'SETTLED', at: after.updated_at, event: 'order.settled', note: null };
    expect(after.timeline).toEqual([...before.timeline, entry]);
    expect((await allEvents(at)).slice(eventsBefore.length)).toEqual([
      expect.objectContaining({ type: 'order.settled', created_at: after.updated_at }),
    ]);
  });

  test.each(STATUSES)('walks to %s along the table, or stays where it is', async (to) => {
    const route = shortestWay(from, to);
    if (!route || route.length === 0 || route.includes('settle')) {
      expect(await rejected({ to })).toMatchObject({ status: 409, code: 'conflict' });
      return;
    }
    const at = await sandbox();
    const id = await orderIn(at, from);
    const before = await readOrder(at, id);
    await at.control.post(`/orders/${id}/advance`, { to });
    const after = await readOrder(at, id);
    expect(after.status).toBe(to);
    const steps = after.timeline.slice(before.timeline.length).map((entry) => entry.event);
    expect(steps).toEqual(eventsAlong(from, route));
    const types = (await allEvents(at, id)).map((event) => event.type);
    expect(types.slice(types.length - steps.filter(Boolean).length)).toEqual(steps.filter(Boolean));
  });

  test('says why it is not in another state, and does nothing about it', async () => {
    const digest = digestOf(dataDir);
    const open = TABLE.filter((row) => row[0] === from).map(([, action, to]) => ({ action, to }));
    for (const to of STATUSES) {
      const route = shortestWay(from, to);
      expect(await still.control.get(`/orders/${stillId}/why-not`, { to })).toEqual({
        public_id: stillId,
        status: from,
        to,
        reachable: route !== undefined,
        reason: expect.stringMatching(/\S/),
        route: (route ?? []).map((action) => expect.objectContaining({ action })),
        open_moves: open,
      });
    }
    expect(digestOf(dataDir)).toBe(digest);
  });

  test('takes one step forward when nothing is said, if there is one', async () => {
    const at = await sandbox();
    const id = await orderIn(at, from);
    const input = at.control.post(`/orders/${id}/advance`);
    const { next } = orderState(from);
    const to = next && rowFor(from, next)?.[2];
    if (to) expect(await input).toMatchObject({ status: to });
    else expect(await rejectedBy(input)).toMatchObject({ code: 'conflict' });
    expect((await readOrder(at, id)).status).toBe(to ?? from);
  });
});

/** Breadth first through the table; undefined when no way leads there. */
function shortestWay(from: Status, to: Status): Action[] | undefined {
  let front: { at: Status; way: Action[] }[] = [{ at: from, way: [] }];
  for (let length = 0; length <= STATUSES.length; length += 1) {
    const here = front.find(({ at }) => at === to);
    if (here) return here.way;
    front = front.flatMap(({ at, way }) =>
      TABLE.filter((row) => row[0] === at).map((row) => ({ at: row[2], way: [...way, row[1]] })),
    );
  }
  return undefined;
}

function eventsAlong(from: Status, way: Action[]): (string | null)[] {
  let at = from;
  return way.map((action) => {
    const row = rowFor(at, action);
    if (!row) throw new Error(`the table lists no ${action} from ${at}`);
    at = row[2];
    return row[3];
  });
}

describe('a refunded or cancelled domain', () => {
  test('that was sold again stays sold, after any action on the old order', async () => {
    const at = await sandbox();
    const sold = await seededListing();
    const { public_id } = await orderFor(at, sold);
    await at.control.post(`/orders/${public_id}/advance`, { action: 'refund' });
    await orderFor(at, sold);
    for (const action of ['refund', 'cancel']) {
      await rejectedBy(at.control.post(`/orders/${public_id}/advance`, { action }));
    }
    expect(await isAvailable(at, sold.domain)).toBe(false);
  });
});

describe('a request that the control API rejects', () => {
  test.each<[string, object]>([
    ['an action and a state', { action: 'hold', to: 'MANUAL_REVIEW' }],
    ['settle', { action: 'settle' }],
    ['record', { action: 'record' }],
    ['an unknown action', { action: 'explode' }],
    ['an unknown state', { to: 'HELD' }],
    ['an unknown field', { acton: 'hold' }],
    ['a blank note', { action: 'hold', note: ' ' }],
  ])('is %s', async (_what, body) => {
    const { dataDir, at } = await sandboxOnDisk();
    const { public_id } = await orderFor(at);
    const digest = digestOf(dataDir);
    const rejected = await rejectedBy(at.control.post(`/orders/${public_id}/advance`, body));
    expect(rejected).toMatchObject({ status: 400, code: 'validation_error' });
    expect(digestOf(dataDir)).toBe(digest);
  });

  test('is an order that does not exist', async () => {
    const at = await sandbox();
    const missing = at.control.post('/orders/ord_none/advance', { action: 'hold' });
    expect(await rejectedBy(missing)).toMatchObject({ status: 404, code: 'not_found' });
  });
});

test('a note is in the timeline', async () => {
  const { at, public_id } = await withOrder();
  const note = 'buyer asked';
  await at.control.post(`/orders/${public_id}/advance`, { action: 'hold', note });
  expect((await readOrder(at, public_id)).timeline.at(-1)).toMatchObject({ note });
});

test('twenty operators at once move an order once', async () => {
  const { at, public_id } = await withOrder();
  const moves = Array.from({ length: 20 }, () =>
    at.control.post(`/orders/${public_id}/advance`, { action: 'refund' }),
  );
  const results = await Promise.allSettled(moves);
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  expect((await allEvents(at, public_id)).map((event) => event.type)).toEqual([
    'order.recorded',
    'order.refunded',
  ]);
});

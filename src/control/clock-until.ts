import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { oneOf, requiredText } from '../http/fields.ts';
import { conflict, validationError } from '../kernel/errors.ts';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import { DAY, formatDuration, isoTime } from '../kernel/time.ts';
import { whyNotOf } from '../market/orders/operate.ts';
import { requireOrder } from '../market/orders/orders.ts';
import { upcoming } from '../schedule/upcoming.ts';
import { ORDER_STATUSES } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import type { Clock, ClockReading } from '../world/clock.ts';
import { clock } from '../world/resources.ts';
import { duration } from './clock.ts';
import { controlEndpoint, controlEndpoints } from './endpoint.ts';
import { countFitting, describeFitting, describeNearest, type Sought } from './wait-conditions.ts';

/** Longer than any retry and any checkout session. */
const MAX_MS = 30 * DAY;
const UPCOMING_SHOWN = 3;

const goal = z.strictObject({
  event: oneOf(EVENT_TYPES).optional(),
  for: requiredText(100).optional(),
  order: requiredText(100).optional(),
  state: oneOf(ORDER_STATUSES).optional(),
  within: duration.default(MAX_MS),
});

interface UntilRow {
  reached: boolean;
  seen: string[];
  reason: string | null;
  clock: Clock;
}

const until = resource(
  'Until',
  'Whether the goal was reached, what was seen (nearest misses first if it was not), why it was not reached, and the clock now.',
  ({ flag, listOfText, text, object }: Fields<UntilRow>) => ({
    reached: flag(),
    seen: listOfText(),
    reason: text().nullable(),
    clock: object(clock),
  }),
);
export type Until = Output<typeof until>;

export const clockUntilEndpoints = controlEndpoints({
  postClockUntil: controlEndpoint({
    method: 'POST',
    path: '/clock/until',
    summary:
      'Moves the clock from one due thing to the next until an event is recorded or an order reaches a state. If nothing due brings that about, the response is 200 with `reached: false`, the reason, and the clock at the last thing that was due; 409 only rejects a state that the order can never reach, and moves nothing.',
    description:
      'Goes from one scheduled item to the next until an event is recorded or an order is in a state. If that does not happen, responds 200 with `reached: false`; the clock has moved all the same. 409 `conflict` if the order cannot reach the state.',
    body: () => goal,
    errors: { conflict: '' },
    response: until,
    async handle({ world, context, body }) {
      const sought = soughtBy(body);
      // What no move leads to is refused before anything is moved.
      world.read((tx) => assertReachable(tx, sought));
      const isThere = (tx: Tx) => countFitting(tx, sought) > 0;
      const before = world.clock.reading();
      const reached = await context.schedulers.of(world).advanceUntil(isThere, body.within);
      return world.read((tx) => ({
        reached,
        seen: reached ? describeFitting(tx, sought) : describeNearest(tx, sought),
        reason: reached
          ? null
          : describeMiss(tx, sought, hasMoved(world.clock, before), body.within),
        clock: world.clock,
      }));
    },
  }),
});

/** @throws validation_error unless it is an event, or an order and its state */
function soughtBy({ event, for: id, order, state }: z.output<typeof goal>): Sought {
  if (event !== undefined && order === undefined && state === undefined) {
    return { for: 'event', type: event, id };
  }
  if (order !== undefined && state !== undefined && event === undefined && id === undefined) {
    return { for: 'order', id: order, state };
  }
  throw validationError(
    'event: say either an event, and as you like for which id, or an order and its state',
  );
}

/** @throws not_found, conflict */
function assertReachable(tx: Tx, sought: Sought): void {
  const reason = reasonAgainst(tx, sought);
  if (reason && reason.path === undefined && countFitting(tx, sought) === 0) {
    throw conflict(`order ${sought.id} will not be ${sought.state}: ${reason.reason}`);
  }
}

function reasonAgainst(tx: Tx, { for: what, id = '', state }: Sought) {
  if (what !== 'order' || state === undefined) return undefined;
  return whyNotOf(requireOrder(tx, id), state);
}

/** A running clock moves on by itself, with its distance to real time unchanged. */
function hasMoved(clock: Clock, before: ClockReading): boolean {
  const now = clock.reading();
  return now.frozen ? now.nowMs !== before.nowMs : now.offsetMs !== before.offsetMs;
}

function describeMiss(tx: Tx, sought: Sought, moved: boolean, within: number): string {
  const wanted =
    sought.for === 'order'
      ? `order ${sought.id} to ${sought.state}`
      : `about ${sought.type}${sought.id === undefined ? '' : ` for ${sought.id}`}`;
  const why = reasonAgainst(tx, sought)?.reason;
  const next = upcoming(tx, { limit: UPCOMING_SHOWN }).map(
    ({ at, what }) => `${what} at ${isoTime(at)}`,
  );
  return [
    `nothing that is due within ${formatDuration(within)} brings ${wanted}`,
    why ?? '',
    `the clock stands at ${isoTime(tx.now)}${moved ? ', at the last thing that was due' : ', where it was'}`,
    `upcoming: ${next.join(', ') || 'nothing'}`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { oneOf, requiredText } from '../http/fields.ts';
import { conflict, validationError } from '../kernel/errors.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { DAY, formatDuration, isoTime } from '../kernel/time.ts';
import { whyNotOf } from '../market/orders/operate.ts';
import { requireOrder } from '../market/orders/orders.ts';
import { upcoming } from '../schedule/upcoming.ts';
import { ORDER_STATUSES } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import type { Clock } from '../world/clock.ts';
import { clock } from '../world/resources.ts';
import { duration } from './clock.ts';
import { named, post } from './endpoint.ts';
import {
  countMatches,
  describeMatches,
  describeNearMisses,
  type WaitCondition,
} from './wait-conditions.ts';

/** Longer than all retries and any checkout session. */
const MAX_MS = 30 * DAY;
const MAX_UPCOMING = 3;

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

const untilResult = resource(
  'Until',
  'Whether the goal was reached, the matches or near misses, the reason if it was not reached, and the clock.',
  ({ flag, listOfText, text, object }: Fields<UntilRow>) => ({
    reached: flag(),
    seen: listOfText(),
    reason: text().nullable(),
    clock: object(clock),
  }),
);

export const clockUntilEndpoints = named({
  postClockUntil: post('/clock/until', {
    summary: 'Advance the clock until an event is recorded or an order reaches a state.',
    description:
      'Runs scheduled work in order until the goal is reached. If nothing due reaches it, the response is 200 with `reached: false`, the reason, and the clock at the last scheduled work. 409 `conflict` if the order can never reach the state; then the clock does not move.',
    body: () => goal,
    response: untilResult,
    async handle({ world, request, context, body }) {
      const condition = conditionOf(body);
      const until = (tx: Tx) => countMatches(tx, condition) > 0;
      const { before } = await context.schedulers.of(world).advance(request, (tx) => {
        assertReachable(tx, condition);
        return { to: tx.now + body.within, until, before: world.clock.setting };
      });
      return world.read((tx) => {
        const reached = until(tx);
        return {
          reached,
          seen: reached ? describeMatches(tx, condition) : describeNearMisses(tx, condition),
          reason: reached
            ? null
            : describeMiss(tx, condition, hasMoved(world.clock, before), body.within),
          clock: world.clock,
        };
      });
    },
  }),
});

/** @throws validation_error unless the input is an event, or an order and a state */
function conditionOf({ event, for: id, order, state }: z.output<typeof goal>): WaitCondition {
  if (event !== undefined && order === undefined && state === undefined) {
    return { for: 'event', type: event, id };
  }
  if (order !== undefined && state !== undefined && event === undefined && id === undefined) {
    return { for: 'order', id: order, state };
  }
  throw validationError(
    'event: pass either `event` (and optionally `for`), or `order` and `state`',
  );
}

/** @throws not_found, conflict */
function assertReachable(tx: Tx, condition: WaitCondition): void {
  const reason = reasonAgainst(tx, condition);
  if (reason && reason.path === undefined && countMatches(tx, condition) === 0) {
    throw conflict(
      `state: order ${condition.id} cannot reach ${condition.state}; ${reason.reason}`,
    );
  }
}

function reasonAgainst(tx: Tx, { for: target, id = '', state }: WaitCondition) {
  if (target !== 'order' || state === undefined) return undefined;
  return whyNotOf(requireOrder(tx, id), state);
}

/** Returns whether the clock was moved. A running clock keeps its offset from real time. */
function hasMoved(clock: Clock, before: Clock['setting']): boolean {
  const { offsetMs, frozenAt } = clock.setting;
  return offsetMs !== before.offsetMs || frozenAt !== before.frozenAt;
}

function describeMiss(tx: Tx, condition: WaitCondition, isMoved: boolean, within: number): string {
  const target =
    condition.for === 'order'
      ? `order ${condition.id} to ${condition.state}`
      : `about ${condition.type}${condition.id === undefined ? '' : ` for ${condition.id}`}`;
  const reason = reasonAgainst(tx, condition)?.reason;
  const upcomingItems = upcoming(tx, { limit: MAX_UPCOMING }).map(
    ({ at, what }) => `${what} at ${isoTime(at)}`,
  );
  return [
    `nothing that is due within ${formatDuration(within)} brings ${target}`,
    reason ?? '',
    `the clock is at ${isoTime(tx.now)}${isMoved ? ', when the last scheduled work was due' : ', unchanged'}`,
    `upcoming: ${upcomingItems.join(', ') || 'nothing'}`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}

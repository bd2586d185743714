import { z } from 'zod';
import { EVENT_TYPES, type EventType } from '../events/event-types.ts';
import { oneOf, requiredText } from '../http/fields.ts';
import { validationError } from '../kernel/errors.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { DAY, formatDuration } from '../kernel/time.ts';
import { whyNotOf } from '../market/orders/advance-order.ts';
import { requireOrder } from '../market/orders/orders.ts';
import { ORDER_STATUSES, type OrderStatus } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import type { Clock } from '../world/clock.ts';
import { clock } from '../world/resources.ts';
import { duration } from './clock.ts';
import { named, post } from './endpoint.ts';
import { countMatches, describeMatches, describeSeen } from './wait-conditions.ts';

/** Longer than all retries and any checkout session. */
const MAX_MS = 30 * DAY;

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
  'Whether the goal was reached, the matches or what was seen instead, the reason if it was not reached, and the clock.',
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
      'Runs scheduled work in order until the goal is reached. If nothing due reaches it, the response is 200 with `reached: false`, the reason, and the clock at the last scheduled work.',
    body: () => goal,
    response: untilResult,
    async handle({ world, request, context, body }) {
      const condition = conditionOf(body);
      const until = (tx: Tx) => countMatches(tx, condition) > 0;
      await context.schedulers.of(world).advance(request, (tx) => {
        if (condition.for === 'order') requireOrder(tx, condition.id);
        return { to: tx.now + body.within, until };
      });
      return world.read((tx) => {
        const reached = until(tx);
        return {
          reached,
          seen: reached ? describeMatches(tx, condition) : describeSeen(tx, condition),
          reason: reached ? null : describeMiss(tx, condition, body.within),
          clock: world.clock,
        };
      });
    },
  }),
});

type Goal =
  | { for: 'event'; type: EventType; id: string | undefined }
  | { for: 'order'; id: string; state: OrderStatus };

/** @throws validation_error unless the input is an event, or an order and a state */
function conditionOf({ event, for: id, order, state }: z.output<typeof goal>): Goal {
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

function describeMiss(tx: Tx, condition: Goal, within: number): string {
  const nothing = `nothing that is due within ${formatDuration(within)} brings`;
  if (condition.for === 'order') {
    const { id, state } = condition;
    return `${nothing} order ${id} to ${state}; ${whyNotOf(requireOrder(tx, id), state).reason}`;
  }
  return `${nothing} about ${condition.type}${condition.id === undefined ? '' : ` for ${condition.id}`}`;
}

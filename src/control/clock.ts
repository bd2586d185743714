import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { isoTimeText, pageQuery, parsedText, requiredText } from '../http/fields.ts';
import { conflict, validationError } from '../kernel/errors.ts';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import { DAY, parseDuration } from '../kernel/time.ts';
import { listUpcoming, type Upcoming, upcoming } from '../schedule/upcoming.ts';
import { ORDER_STATUSES } from '../store/schema/order-states.ts';
import type { Tx } from '../store/transaction.ts';
import { type Clock, LAST_MOMENT } from '../world/clock.ts';
import { clock } from '../world/resources.ts';
import type { World } from '../world/world.ts';
import { type ControlCall, get, named, post } from './endpoint.ts';
import { describeSeen, findMatches, type WaitCondition } from './wait-conditions.ts';

const upcomingItem = resource(
  'Upcoming',
  'Work that is due, or an expiry, at a time on the sandbox clock.',
  ({ oneOf, time, text }: Fields<Upcoming>) => ({
    kind: oneOf(['delivery', 'order_move', 'quote_expiry', 'checkout_expiry']),
    at: time(),
    id: text(),
    what: text(),
  }),
);
export type UpcomingItem = Output<typeof upcomingItem>;

const upcomingPage = upcomingItem.page(
  'UpcomingPage',
  'upcoming',
  'One page of scheduled work, soonest first.',
);

const reached = resource(
  'Reached',
  'The scheduled work to which the clock advanced.',
  ({ object }: Fields<{ reached: Upcoming; clock: Clock }>) => ({
    reached: object(upcomingItem),
    clock: object(clock),
  }),
);

const duration = parsedText(
  z.string(),
  parseDuration,
  'must be a duration such as 90s, 11m, 1h30m or 2d',
).describe('A duration such as 90s, 11m, 1h30m or 2d.');

/** How far `until` advances by default, as the help of the command says: longer than all retries and any checkout. */
const DEFAULT_WITHIN_MS = 30 * DAY;

const untilInput = z.strictObject({
  event: z.enum(EVENT_TYPES).optional(),
  for: requiredText(100).optional(),
  order: requiredText(100).optional(),
  state: z.enum(ORDER_STATUSES).optional(),
  within: duration.default(DEFAULT_WITHIN_MS),
});

interface UntilRow {
  reached: boolean;
  seen: string[];
  clock: Clock;
}

const untilResult = resource(
  'Until',
  'Whether the goal was reached, the matches or what was seen instead, and the clock.',
  ({ flag, listOfText, object }: Fields<UntilRow>) => ({
    reached: flag(),
    seen: listOfText(),
    clock: object(clock),
  }),
);

export const clockEndpoints = named({
  getClock: get('/clock', {
    summary: 'Show sandbox time, its offset from real time, and whether it is frozen.',
    response: clock,
    handle: ({ world }) => world.clock,
  }),

  postClockAdvance: post('/clock/advance', {
    summary: 'Advance the clock by a duration, and run the work that comes due, in order.',
    description:
      'Scheduled work that comes due (expiries, automatic moves, webhook retries) runs in order, at its own time, before the call returns. Time never goes backward.',
    body: () => z.strictObject({ by: duration }),
    response: clock,
    handle: (call) => advanceTo(call, (tx) => tx.now + call.body.by),
  }),

  postClockSet: post('/clock/set', {
    summary: 'Advance the clock to a time. It never runs backward.',
    description: '400 `validation_error` for a time in the past of the sandbox clock.',
    body: () => z.strictObject({ to: isoTimeText() }),
    response: clock,
    handle: (call) => advanceTo(call, () => call.body.to),
  }),

  postClockFreeze: post('/clock/freeze', {
    summary: 'Freeze the clock at its current time.',
    description: 'Real time no longer moves the sandbox clock. Has no effect on a frozen clock.',
    response: clock,
    write: ({ tx, world }) => setFrozen(tx, world, true),
  }),

  postClockResume: post('/clock/resume', {
    summary: 'Let the clock run again, from its current time.',
    description: 'The clock runs at real speed again. Has no effect on a running clock.',
    response: clock,
    write: ({ tx, world }) => setFrozen(tx, world, false),
  }),

  getClockUpcoming: get('/clock/upcoming', {
    summary: 'List scheduled work, soonest first.',
    query: () => z.object(pageQuery()),
    response: upcomingPage,
    read: ({ tx, query }) => listUpcoming(tx, query),
  }),

  postClockNext: post('/clock/next', {
    summary: 'Advance the clock to the next scheduled work.',
    description: '409 `conflict` if nothing is scheduled.',
    response: reached,
    async handle({ world, request, context }) {
      const { next } = await context.schedulers.of(world).advance(request, (tx) => {
        const [next] = upcoming(tx, { limit: 1 });
        if (!next) throw conflict('nothing is scheduled: no delivery, order move or expiry');
        return { to: Math.max(next.at, tx.now), next };
      });
      return { reached: next, clock: world.clock };
    },
  }),

  postClockUntil: post('/clock/until', {
    summary: 'Advance the clock until an event is recorded or an order reaches a state.',
    description:
      'Runs scheduled work in order until the goal is reached. If nothing due reaches it, the response is 200 with `reached: false`, what was seen, and the clock at the last scheduled work.',
    body: () => untilInput,
    response: untilResult,
    async handle({ world, request, context, body }) {
      const condition = conditionOf(body);
      const until = (tx: Tx) => findMatches(tx, condition).count > 0;
      const begin = (tx: Tx) => ({ to: Math.min(tx.now + body.within, LAST_MOMENT), until });
      await context.schedulers.of(world).advance(request, begin);
      return world.read((tx) => {
        const { count, seen } = findMatches(tx, condition);
        const reached = count > 0;
        return { reached, seen: reached ? seen : describeSeen(tx, condition), clock: world.clock };
      });
    },
  }),
});

async function advanceTo(
  { world, request, context }: Pick<ControlCall, 'world' | 'request' | 'context'>,
  timeOf: (tx: Tx) => number,
): Promise<Clock> {
  await context.schedulers.of(world).advance(request, (tx) => ({ to: timeOf(tx) }));
  return world.clock;
}

function setFrozen(tx: Tx, world: World, frozen: boolean): Clock {
  world.clock.setFrozen(frozen);
  tx.wakeScheduler();
  return world.clock;
}

/** @throws validation_error unless the input is an event, or an order and a state */
function conditionOf({ event, for: id, order, state }: z.output<typeof untilInput>): WaitCondition {
  if (event !== undefined && order === undefined && state === undefined) {
    return { for: 'event', type: event, id };
  }
  if (order !== undefined && state !== undefined && event === undefined && id === undefined) {
    return { for: 'order', id: order, field: 'order', state };
  }
  throw validationError(
    'event: pass either `event` (and optionally `for`), or both `order` and `state`',
  );
}

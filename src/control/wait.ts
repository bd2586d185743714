import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { requiredText, wholeNumber } from '../http/fields.ts';
import { countOf } from '../kernel/count.ts';
import { conflict, validationError } from '../kernel/errors.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { resolvesWithin } from '../kernel/runtime.ts';
import { upcoming } from '../schedule/upcoming.ts';
import { DELIVERY_STATUSES } from '../store/schema/enums.ts';
import { ORDER_STATUSES } from '../store/schema/order-states.ts';
import { countDeliveries, earliestAttemptAt } from '../webhooks/deliveries.ts';
import { named, post } from './endpoint.ts';
import { describeSeen, findMatches, MAX_DESCRIBED } from './wait-conditions.ts';

const MAX_WAIT_MS = 600_000;

type IdleRow = { pending: number; failed: number; nextAttemptAt: number | null };

const idle = resource(
  'Idle',
  'Nothing is being delivered or due: the number of deliveries that wait for their next attempt, when the first of them is due, and the number of deliveries that failed.',
  ({ constant, count, time }: Fields<IdleRow>) => ({
    idle: constant(true),
    pending_deliveries: count().from(({ pending }) => pending),
    next_attempt_at: time().nullable(),
    failed_deliveries: count().from(({ failed }) => failed),
  }),
);

const waited = resource(
  'Waited',
  'The number of matches, and a line about each.',
  ({ constant, count, listOfText }: Fields<{ count: number; seen: string[] }>) => ({
    met: constant(true),
    count: count(),
    seen: listOfText(),
  }),
);

const timeoutMs = wholeNumber(0, MAX_WAIT_MS).default(30_000);

const input = z.strictObject({
  for: z.enum(['order', 'event', 'delivery']),
  id: requiredText(100).optional(),
  state: z.enum(ORDER_STATUSES).optional(),
  type: z.enum(EVENT_TYPES).optional(),
  status: z.enum(DELIVERY_STATUSES).optional(),
  count: wholeNumber(0).optional(),
  exactly: wholeNumber(0).optional(),
  timeout_ms: timeoutMs,
});
type WaitInput = z.output<typeof input>;

/** Fields of the input that make no sense for a kind. */
const FOREIGN_FIELDS = {
  order: ['type', 'status', 'count', 'exactly'],
  event: ['state', 'status'],
  delivery: ['state'],
} as const;

/** What a wait has seen so far. */
interface Progress {
  count: number;
  /** False if the number must be exact, and a delivery can still change it. */
  isSettled: boolean;
}

export const waitEndpoints = named({
  postIdle: post('/idle', {
    logged: false,
    summary: 'Wait until nothing is being delivered and nothing is due now.',
    description:
      'Returns when every delivery that is due has been attempted, with the number of deliveries that wait for another attempt. 409 `conflict` after `timeout_ms`, or when the sandbox stops. Not in the request log.',
    body: () => z.strictObject({ timeout_ms: timeoutMs }),
    response: idle,
    async handle({ world, context, body: { timeout_ms }, signal }) {
      const isIdle = await resolvesWithin(context.schedulers.of(world).idle(), timeout_ms, {
        runtime: context.runtime,
        signal: AbortSignal.any([signal, context.closing]),
      });
      return world.read((tx) => {
        if (isIdle) return { ...countDeliveries(tx), nextAttemptAt: earliestAttemptAt(tx) ?? null };
        const dueItems = upcoming(tx, { limit: MAX_DESCRIBED }).filter(({ at }) => at <= tx.now);
        const when = context.closing.aborted ? 'when the sandbox stops' : `after ${timeout_ms} ms`;
        const busy = `timeout_ms: still busy ${when}, in progress or due:`;
        throw conflict([busy, ...dueItems.map(({ what }) => what)].join('\n  '));
      });
    },
  }),

  postWait: post('/wait', {
    logged: false,
    summary: 'Wait until an order has been in a state, or events or deliveries exist.',
    description:
      'Does not move the clock. After `timeout_ms`, or when the sandbox stops, it responds 409 `conflict` with what it saw. Not in the request log.',
    body: () => input,
    response: waited,
    async handle({ world, context, body, signal }) {
      assertConsistent(body);
      const condition =
        body.for === 'delivery' ? { ...body, status: body.status ?? 'delivered' } : body;
      const scheduler = context.schedulers.of(world);
      const readProgress = () => {
        const isSettled = condition.exactly === undefined || scheduler.isIdle;
        return { isSettled, ...world.read((tx) => findMatches(tx, condition)) };
      };
      let wake = () => {};
      const unwatch = world.watch(() => wake());
      let final: ReturnType<typeof readProgress> | undefined;
      const untilFinal = async () => {
        while (!final) {
          // Made before the world is read, so that no change after the reading is missed.
          const change = Promise.withResolvers<void>();
          wake = change.resolve;
          if (condition.exactly !== undefined) await scheduler.idle();
          const progress = readProgress();
          const hasTooMany = progress.count > (condition.exactly ?? Infinity);
          if (isMet(condition, progress) || hasTooMany) final = progress;
          else await change.promise;
        }
      };
      await resolvesWithin(untilFinal(), body.timeout_ms, {
        runtime: context.runtime,
        signal: AbortSignal.any([signal, context.closing]),
      }).finally(unwatch);
      const progress = final ?? readProgress();
      if (isMet(condition, progress)) return progress;
      const seen = world.read((tx) => describeSeen(tx, condition));
      throw conflict(describeMiss(condition, progress, seen));
    },
  }),
});

function assertConsistent(body: WaitInput): void {
  const foreign = FOREIGN_FIELDS[body.for].find((field) => body[field] !== undefined);
  if (foreign) {
    throw validationError(`${foreign}: not a field of \`for: ${body.for}\`; leave it out`);
  }
  const missing = (['id', 'state'] as const).find((field) => body[field] === undefined);
  if (body.for === 'order' && missing) {
    throw validationError(`${missing}: a wait for an order needs \`id\` and \`state\``);
  }
  if (body.count !== undefined && body.exactly !== undefined) {
    throw validationError('exactly: pass either `count` or `exactly`, not both');
  }
}

function isMet({ count = 1, exactly }: WaitInput, progress: Progress): boolean {
  if (exactly === undefined) return progress.count >= count;
  return progress.isSettled && progress.count === exactly;
}

function describeMiss(wait: WaitInput, { count, isSettled }: Progress, seen: readonly string[]) {
  const busy = isSettled ? '' : ', but a delivery is still in progress or due';
  const saw = seen.length === 0 ? 'saw nothing of the kind' : ['saw:', ...seen].join('\n  ');
  return `waited for ${describeWait(wait)}, found ${count}${busy}; ${saw}`;
}

function describeWait({ for: kind, id, state, type, status, count = 1, exactly }: WaitInput) {
  if (kind === 'order') return `order ${id} in ${state}`;
  const matches = countOf(exactly ?? count, [status, type, kind].filter(Boolean).join(' '));
  const number = `${exactly === undefined ? 'at least' : 'exactly'} ${matches}`;
  return id === undefined ? number : `${number} for ${id}`;
}

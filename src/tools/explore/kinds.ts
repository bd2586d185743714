import { commandOf } from '../../faults/fault-command.ts';
import type { RequestEffect, WebhookEffect } from '../../faults/fault-effects.ts';
import type { FaultInput } from '../../faults/validate-fault.ts';
import { HOUR, MINUTE, SECOND } from '../../kernel/time.ts';
import type { ExploreOptions } from './commands.ts';
import type { CallPoint, DeliveryPoint, Point } from './traffic.ts';

/** What decides which kinds can happen, and how long they take. */
export type Setup = Pick<ExploreOptions, 'app' | 'clientTimeout'>;

/** What explore does itself at a point, because it also needs the process of the application or the clock. */
export type Action = 'kill_at_webhook' | 'kill_after_ack' | 'kill_before_response' | 'expire_quote';

/** A fault that happens in production. */
export interface Kind {
  id: string;
  /** What happens, as a sentence. */
  what: string;
  /** Whether it can happen at a point. */
  applies(point: Point, setup: Setup): boolean;
  /** The fault of the sandbox that it is made of. */
  fault?(point: Point, setup: Setup): FaultInput;
  action?: Action;
  /** What a person does in addition to `sandlot faults add`. */
  byHand?: string;
}

/** A kind at a point. */
export interface Fault {
  kind: Kind;
  point: Point;
}

export function nameOf({ kind, point }: Fault): string {
  return `${kind.id} at ${point.key}`;
}

/** How long after the quote the buyer pays in `clock.quote_expired`. */
export const QUOTE_EXPIRES_AFTER_MS = 10 * MINUTE + SECOND;
/** How much longer than the client waits a late response takes. */
const LATE_MS = 500;

const isCall = (point: Point): point is CallPoint => point.at === 'call';
const isWrite = (point: Point): point is CallPoint => isCall(point) && point.method !== 'GET';
const isDelivery = (point: Point): point is DeliveryPoint => point.at === 'delivery';
const hasLater = (point: Point) => isDelivery(point) && point.hasLater === true;

const NOTHING = 'Nothing is recorded.';
const LOST_AFTER = 'The call is recorded, then the connection closes without a response.';

export const KINDS: readonly Kind[] = [
  onCall('call.error', `The marketplace responds with 500 internal_error. ${NOTHING}`, isCall, {
    code: 'internal_error',
  }),
  onCall(
    'call.limited',
    `The marketplace responds with 429 rate_limited and Retry-After: 1. ${NOTHING}`,
    isCall,
    { code: 'rate_limited' },
  ),
  onCall('call.unavailable', `A gateway responds with 503 and an HTML page. ${NOTHING}`, isCall, {
    gateway: 503,
  }),
  onCall(
    'call.bad_gateway',
    'The call is recorded, then a gateway responds with 502 and an HTML page.',
    isWrite,
    { gateway: 502, gateway_when: 'after' },
  ),
  onCall('call.lost_before', `The connection closes without a response. ${NOTHING}`, isCall, {
    drop: 'before',
  }),
  onCall('call.lost_after', LOST_AFTER, isWrite, { drop: 'after' }),
  onCall(
    'call.late',
    'The call is recorded, but the response comes after the client has given up.',
    isCall,
    ({ clientTimeout }) => ({ delay_ms: clientTimeout + LATE_MS, delay: 'after' }),
  ),
  onCall(
    'call.webhook_first',
    'The webhook arrives before the response of the call that causes it.',
    (point) => isWrite(point) && point.delivers === true,
    ({ clientTimeout }) => ({ delay_ms: Math.ceil(clientTimeout / 2), delay: 'delivered' }),
  ),
  onDelivery('webhook.twice', 'The webhook is sent twice.', isDelivery, { duplicate: true }),
  onDelivery(
    'webhook.ack_lost',
    "The receiver's response is lost, and the webhook is sent again.",
    isDelivery,
    { discard_response: true },
  ),
  onDelivery('webhook.swapped', 'The webhook is sent after the next one.', hasLater, {
    reorder: true,
  }),
  onDelivery('webhook.late', 'The webhook is sent one hour late.', hasLater, { delay_ms: HOUR }),
  onDelivery(
    'webhook.missed',
    'No attempt to deliver the webhook reaches the receiver.',
    isDelivery,
    { drop: true },
    'all attempts',
  ),
  {
    id: 'app.killed_at_webhook',
    what: 'The app is killed while it responds to the webhook, and its response is lost.',
    applies: (point, { app }) => app !== undefined && isDelivery(point),
    action: 'kill_at_webhook',
    byHand: 'send your app the signal SIGKILL when it responds to the webhook',
  },
  {
    id: 'app.killed_after_ack',
    what: 'The app is killed right after it has acknowledged the webhook.',
    applies: (point, { app }) => app !== undefined && isDelivery(point),
    action: 'kill_after_ack',
    byHand: 'send your app the signal SIGKILL right after it has acknowledged the webhook',
  },
  {
    ...onCall('call.lost_after', LOST_AFTER, isWrite, { drop: 'after' }),
    id: 'app.killed_after_call',
    what: 'The call is recorded, and the app is killed before it gets the response.',
    applies: (point, { app }) => app !== undefined && isWrite(point),
    action: 'kill_before_response',
    byHand: 'send your app the signal SIGKILL when the connection closes',
  },
  {
    id: 'clock.quote_expired',
    what: 'The buyer takes more than ten minutes to pay: the quote has expired, and the price has risen by 1 %.',
    applies: (point) => isCall(point) && point.group === 'postOrder' && point.hasQuote === true,
    action: 'expire_quote',
    byHand: 'between quote and order: sandlot clock advance 10m1s, sandlot inventory set-price',
  },
];

type EffectOf = RequestEffect | ((setup: Setup) => RequestEffect);

function onCall(id: string, what: string, applies: Kind['applies'], effectOf: EffectOf): Kind {
  return {
    ...{ id, what, applies },
    fault(point, setup) {
      if (!isCall(point)) throw new Error(`${point.key} is not a call`);
      const { method, path, n } = point;
      const effect = typeof effectOf === 'function' ? effectOf(setup) : effectOf;
      const match = { method, path, ...aboutDomain(point), ...(n > 1 && { nth: n }) };
      return { match, effect, times: 1 };
    },
  };
}

function onDelivery(
  id: string,
  what: string,
  applies: Kind['applies'],
  webhook: WebhookEffect,
  which: 'first attempt' | 'all attempts' = 'first attempt',
): Kind {
  return {
    ...{ id, what, applies },
    fault(point) {
      const event = point.group as NonNullable<FaultInput['match']['event']>;
      const attempt = which === 'first attempt' ? { attempt: 1 } : {};
      return { match: { event, ...aboutDomain(point), delivery: point.n, ...attempt }, webhook };
    },
  };
}

function aboutDomain({ domain }: Point) {
  return domain === '-' ? {} : { domain };
}

/** The commands, and what else to do, that repeat a fault by hand. */
export function byHand(kind: Kind, point: Point, setup: Setup): string[] {
  const { fault, byHand: further } = kind;
  return [...(fault ? [commandOf(fault(point, setup))] : []), ...(further ? [further] : [])];
}

import { faultCommand } from '../../faults/fault-command.ts';
import type { RequestEffect, WebhookEffect } from '../../faults/fault-fields.ts';
import type { FaultInput } from '../../faults/validate-fault.ts';
import { HOUR } from '../../kernel/time.ts';
import type { ExploreOptions } from './commands.ts';
import { isWrite, NO_DOMAIN, type Point } from './traffic.ts';

/** The options on which the length of a delay depends. */
export type Setup = Pick<ExploreOptions, 'clientTimeout'>;

/** A kind of fault that happens in production. */
export interface Kind {
  id: string;
  /** What happens, as a sentence. */
  what: string;
  /** Whether it can happen at a point. */
  applies(point: Point): boolean;
  /** Returns the fault to add to the sandbox. `ExploreSandbox` kills the app and moves the clock itself, by `id`. */
  fault: ((point: Point, setup: Setup) => FaultInput) | undefined;
  /** What a person does, after the fault is added if the kind has one. */
  manualStep: string | undefined;
}

/** A kind at a point. */
export interface Fault {
  kind: Kind;
  point: Point;
}

export function namesOf(faults: readonly Fault[]): string {
  return faults.map(({ kind, point }) => `${kind.id} at ${point.key}`).join(' and ');
}

/** How long after the quote the buyer pays in `clock.quote_expired`. */
export const BUYER_TAKES = '10m1s';
/** A late response comes this long after the client has given up. */
const LATE_MS = 500;

const isCall = ({ call }: Point) => call !== undefined;
const isDelivery = ({ call }: Point) => call === undefined;
const causesDelivery = (point: Point) => isWrite(point) && point.delivers === true;
const hasLater = (point: Point) => isDelivery(point) && point.hasLater === true;
const hasQuote = (point: Point) => point.group === 'postOrder' && point.hasQuote === true;

const NOTHING = 'Nothing is recorded.';
const WHAT = {
  'call.error': `The marketplace responds with 500 internal_error. ${NOTHING}`,
  'call.limited': `The marketplace responds with 429 rate_limited and Retry-After: 1. ${NOTHING}`,
  'call.unavailable': `A gateway responds with 503 and an HTML page. ${NOTHING}`,
  'call.bad_gateway': 'The call is recorded, then a gateway responds with 502 and an HTML page.',
  'call.lost_before': `The connection closes without a response. ${NOTHING}`,
  'call.lost_after': 'The call is recorded, then the connection closes without a response.',
  'call.late': 'The call is recorded, but the response comes after the client has given up.',
  'call.webhook_first': 'The webhook arrives before the response of the call that causes it.',
  'webhook.twice': 'The webhook is sent twice.',
  'webhook.ack_lost': "The receiver's response is lost, and the webhook is sent again.",
  'webhook.swapped': 'The webhook is sent after the next one.',
  'webhook.late': 'The webhook is sent one hour late.',
  'webhook.missed': 'No attempt to deliver the webhook reaches the receiver.',
  'app.killed_at_webhook':
    'The app is killed while it responds to the webhook, and its response is lost.',
  'app.killed_after_ack': 'The app is killed right after it has acknowledged the webhook.',
  'app.killed_after_call':
    'The call is recorded, and the app is killed before it gets the response.',
  'clock.quote_expired':
    'The buyer takes more than ten minutes to pay: the quote has expired, and the price has risen by 1 %.',
};
const MANUAL_STEPS: Partial<Record<keyof typeof WHAT, string>> = {
  'app.killed_at_webhook': 'send SIGKILL to your app when it responds to the webhook',
  'app.killed_after_ack': 'send SIGKILL to your app right after it has acknowledged the webhook',
  'app.killed_after_call': 'send SIGKILL to your app when the connection closes',
  'clock.quote_expired': `between quote and order: sandlot clock advance ${BUYER_TAKES}, then sandlot inventory set-price DOMAIN PRICE, 1 % more`,
};

export const KINDS: readonly Kind[] = [
  onCall('call.error', isCall, () => ({ code: 'internal_error' })),
  onCall('call.limited', isCall, () => ({ code: 'rate_limited' })),
  onCall('call.unavailable', isCall, () => ({ gateway: 503 })),
  onCall('call.bad_gateway', isWrite, () => ({ gateway: 502, gateway_when: 'after' })),
  onCall('call.lost_before', isCall, () => ({ drop: 'before' })),
  onCall('call.lost_after', isWrite, () => ({ drop: 'after' })),
  onCall('call.late', isCall, (timeoutMs) => ({ delay_ms: timeoutMs + LATE_MS, delay: 'after' })),
  onCall('call.webhook_first', causesDelivery, (timeoutMs) => ({
    delay_ms: Math.ceil(timeoutMs / 2),
    delay: 'delivered',
  })),
  onDelivery('webhook.twice', isDelivery, { duplicate: true }),
  onDelivery('webhook.ack_lost', isDelivery, { discard_response: true }),
  onDelivery('webhook.swapped', hasLater, { reorder: true }),
  onDelivery('webhook.late', hasLater, { delay_ms: HOUR }),
  onDelivery('webhook.missed', isDelivery, { drop: true }),
  kindOf('app.killed_at_webhook', isDelivery),
  kindOf('app.killed_after_ack', isDelivery),
  onCall('app.killed_after_call', isWrite, () => ({ drop: 'after' })),
  kindOf('clock.quote_expired', hasQuote),
];

function kindOf(id: keyof typeof WHAT, applies: Kind['applies'], fault?: Kind['fault']): Kind {
  return { id, what: WHAT[id], applies, fault, manualStep: MANUAL_STEPS[id] };
}

function onCall(
  id: keyof typeof WHAT,
  applies: Kind['applies'],
  effectOf: (clientTimeoutMs: number) => RequestEffect,
): Kind {
  return kindOf(id, applies, (point, { clientTimeout }) => {
    const { call, n } = point;
    const match = { ...call, ...aboutDomain(point), ...(n > 1 && { nth: n }) };
    return { match, effect: effectOf(clientTimeout), times: 1 };
  });
}

function onDelivery(id: keyof typeof WHAT, applies: Kind['applies'], webhook: WebhookEffect): Kind {
  return kindOf(id, applies, (point) => {
    const event = point.group as NonNullable<FaultInput['match']['event']>;
    // A missed webhook loses all attempts; any other fault acts on the first.
    const attempt = webhook.drop ? {} : { attempt: 1 };
    return { match: { event, ...aboutDomain(point), delivery: point.n, ...attempt }, webhook };
  });
}

/** A fault cannot match that a call names no domain: at `postQuote#1 -`, it acts on the first call about any domain. */
function aboutDomain({ domain }: Point) {
  return domain === NO_DOMAIN ? {} : { domain };
}

/** Returns the command that adds a fault, and what else to do by hand. */
export function byHand({ fault, manualStep }: Kind, point: Point, setup: Setup): string[] {
  const command = fault && faultCommand(fault(point, setup));
  return [command, manualStep].filter((text) => text !== undefined);
}

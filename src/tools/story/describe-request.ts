import { formatMoney } from '../../kernel/money.ts';
import { parseIsoTime } from '../../kernel/time.ts';
import type { OrderRow } from '../../market/orders/orders.ts';
import { describeOutcome, shortTarget, toneOfResponse } from '../../requests/describe-entry.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { failedStepOf } from '../../requests/trace.ts';
import { isSaleOf, movesClock, parseBody } from './related-requests.ts';
import { type StoryStep, shortenLine, storyStep, timeOfDay } from './story-step.ts';

const LOST = 'The connection closed before the response, so the client does not know.';
const UNHANDLED = 'The connection closed before the request was handled. Nothing changes.';

export function describeRequest(entry: RequestLogEntry, order: OrderRow): StoryStep {
  const { status, at, runs, requestId } = entry;
  const common = {
    // `at` is the time after a move of the clock, and its first run is before.
    at: movesClock(entry) ? (runs[0]?.now ?? at) : at,
    response: status === null ? 'no response' : describeOutcome(entry),
    tone: toneOfResponse(entry),
    requestId,
    to: 'sandbox' as const,
  };
  const path = `${entry.method} ${pathOf(entry)}`;
  const failure = failureOf(entry);
  if (entry.api !== 'control') {
    // A hosted page too: the partner sends its buyer there.
    const detail = failure ?? describePartnerCall(entry, order);
    const isOwn = entry.partnerId === null || entry.partnerId === order.partnerId;
    const text = isOwn ? path : `${path}, by another partner`;
    return storyStep({ ...common, kind: 'request', actor: 'partner', text, detail });
  }
  return storyStep({
    ...common,
    kind: movesClock(entry) ? 'clock' : 'action',
    actor: 'operator',
    text: describeAction(entry) ?? path,
    response: status !== null && status < 300 ? null : common.response,
    detail: failure,
  });
}

function describePartnerCall(entry: RequestLogEntry, order: OrderRow): string | null {
  const lostNote = entry.status === null ? ` ${LOST}` : '';
  if (isSaleOf(entry, order.id)) return `Records the order.${lostNote}`;
  if (entry.trace.some(({ detail }) => detail?.outcome === 'replayed')) {
    return `Replays the stored response of this Idempotency-Key. Nothing changes.${lostNote}`;
  }
  // `rules` is the last check: that of the endpoint's handler.
  const isHandled = entry.trace.some(({ check }) => check === 'rules');
  if (entry.status === null) return isHandled ? LOST : UNHANDLED;
  const body = parseBody(entry.response.body);
  if (body.quote_id !== undefined && entry.endpoint?.endsWith('/quotes')) {
    return describeQuote(body, entry.at);
  }
  // A status of 400 and above, although no check failed, is from an injected gateway.
  if (entry.method !== 'GET' || entry.status >= 400) return null;
  return body.public_id === order.id ? `Reads the order: ${body.status}.` : 'Lists the order.';
}

function describeQuote(body: Record<string, unknown>, at: number): string {
  const { price_cents, currency, expires_at } = body;
  const price = formatMoney(Number(price_cents), String(currency));
  return `Quotes ${price} until ${timeOfDay(parseIsoTime(String(expires_at)) ?? at, at)}.`;
}

/** Returns the message of the failed check; null if no check failed. */
function failureOf({ trace }: RequestLogEntry): string | null {
  const failure = failedStepOf(trace)?.detail;
  return failure ? shortenLine(String(failure.summary ?? failure.message ?? 'rejected')) : null;
}

/** Descriptions of operator actions, by endpoint below `/_sandbox`. Others are shown by method and path. */
const ACTIONS: Readonly<Record<string, (body: Record<string, unknown>) => string>> = {
  '/orders/:id/advance': ({ action, to }) =>
    action ? `Move the order: ${action}` : `Move the order ${to ? `to ${to}` : 'one step'}`,
  '/settlements/run': () => 'Run the settlement',
  '/events/:id/resend': () => 'Send the event again',
  '/deliveries/:id/retry': () => 'Retry the delivery now',
  '/webhooks/fire': ({ type = '' }) => `Fire a webhook: ${type}`,
  '/clock/advance': ({ by }) => `Advance the clock by ${by}`,
  '/clock/set': ({ to }) => `Set the clock to ${to}`,
  '/clock/next': () => 'Advance the clock to the next scheduled work',
  '/clock/until': ({ event, order, state }) =>
    `Advance the clock until ${event ?? [order, state].filter(Boolean).join(' is ')}`,
  '/clock/freeze': () => 'Freeze the clock',
  '/clock/resume': () => 'Resume the clock',
};

function describeAction(entry: RequestLogEntry): string | undefined {
  const describe = ACTIONS[entry.endpoint?.replace(/^\/_sandbox/, '') ?? ''];
  return describe && shortenLine(describe(parseBody(entry.request.body)), 100);
}

/** Returns the path of the endpoint, or the requested one, without API prefix and query. */
function pathOf({ api, endpoint, target }: RequestLogEntry): string {
  const [path = ''] = shortTarget({ api, target: endpoint ?? target }).split('?');
  return shortenLine(path.replace(/:(\w+)/g, '{$1}'), 80);
}

import { formatMoney } from '../../kernel/money.ts';
import { parseIsoTime } from '../../kernel/time.ts';
import { describeOutcome, toneOfResponse } from '../../requests/describe.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { madeMoves } from './move-causes.ts';
import { isSaleOf, jsonOf, movesClock } from './related-requests.ts';
import type { StoryFacts } from './story-facts.ts';
import { type StoryStep, shorten, storyStep, timeOfDay } from './story-step.ts';

const LOST = 'The connection closed before the response, so the client does not know.';
const UNHANDLED = 'The connection closed before the request was handled. Nothing changes.';

export function describeRequest(
  entry: RequestLogEntry,
  facts: StoryFacts,
  isUndone: boolean,
): StoryStep {
  const step = {
    at: entry.at,
    response: entry.status === null ? 'no response' : describeOutcome(entry),
    tone: toneOfResponse(entry),
    requestId: entry.requestId,
  };
  if (entry.api !== 'control') {
    const text = `${entry.method} ${pathOf(entry)}`;
    const detail = describePartnerCall(entry, facts, isUndone);
    return storyStep({ ...step, kind: 'request', actor: 'partner', to: 'sandbox', text, detail });
  }
  const kind = movesClock(entry) ? 'clock' : 'action';
  const text = describeAction(entry) ?? `${entry.method} ${pathOf(entry)}`;
  const isDone = entry.status !== null && entry.status < 300;
  const response = isDone ? null : step.response;
  const undone = isUndone && madeMoves(entry, facts.order.id) ? UNDONE : null;
  const detail = failureOf(entry) ?? undone ?? describeRestore(entry, kind);
  return storyStep({ ...step, kind, actor: 'operator', to: 'sandbox', text, response, detail });
}

const UNDONE = 'Undone: a snapshot was restored later.';

function describePartnerCall(
  entry: RequestLogEntry,
  { order }: StoryFacts,
  isUndone: boolean,
): string | null {
  const failure = failureOf(entry);
  if (failure !== null) return failure;
  const lostNote = entry.status === null ? ` ${LOST}` : '';
  if (isUndone && madeMoves(entry, order.id)) return UNDONE;
  if (isSaleOf(entry, order.id)) return `Records the order.${lostNote}`;
  if (isReplay(entry)) {
    return `Replays the stored response of this Idempotency-Key. Nothing changes.${lostNote}`;
  }
  if (entry.status === null) return isHandled(entry) ? LOST : UNHANDLED;
  const body = jsonOf(entry.response.body);
  if (body?.quote_id !== undefined && entry.endpoint?.endsWith('/quotes')) {
    return describeQuote(body, entry.at);
  }
  if (body?.public_id === order.id && entry.method === 'GET')
    return `Reads the order: ${String(body.status)}.`;
  return entry.method === 'GET' ? 'Lists the order.' : null;
}

function describeQuote(body: Record<string, unknown>, at: number): string {
  const { price_cents: price, currency, expires_at: expires } = body;
  const until = typeof expires === 'string' ? parseIsoTime(expires) : undefined;
  const text =
    typeof price === 'number' ? `Quotes ${formatMoney(price, String(currency))}` : 'Quotes a price';
  return until === undefined ? `${text}.` : `${text} until ${timeOfDay(until, at)}.`;
}

function isReplay({ trace }: RequestLogEntry): boolean {
  return trace.some(
    ({ check, detail }) => check === 'idempotency' && detail?.outcome === 'replayed',
  );
}

function isHandled({ trace }: RequestLogEntry): boolean {
  return trace.some(({ check }) => check === 'rules');
}

/** Returns the message of the failed check; null if no check failed. */
function failureOf({ trace }: RequestLogEntry): string | null {
  const failure = trace.find(({ result }) => result === 'failed')?.detail;
  if (!failure) return null;
  const { summary, message } = failure;
  return shorten(String(summary ?? message ?? 'rejected'));
}

/** Descriptions of operator actions, by endpoint below `/_sandbox`. */
const ACTIONS: Readonly<
  Record<string, (body: Record<string, unknown>, entry: RequestLogEntry) => string>
> = {
  '/orders/:id/advance': ({ action, to }) =>
    action
      ? `Move the order: ${action}`
      : to
        ? `Move the order to ${to}`
        : 'Move the order one step',
  '/settlements/run': () => 'Run the settlement',
  '/events/:id/resend': () => 'Send the event again',
  '/deliveries/:id/retry': () => 'Retry the delivery now',
  '/webhooks/fire': ({ type }) => `Fire a webhook: ${type}`,
  '/snapshots/:name/restore': (_, { target }) => `Restore the snapshot ${target.split('/')[3]}`,
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
  return describe && shorten(describe(jsonOf(entry.request.body) ?? {}, entry), 100);
}

function describeRestore({ endpoint, at }: RequestLogEntry, kind: string): string | null {
  if (kind === 'clock' || !endpoint?.endsWith('/restore')) return null;
  return `The world is as it was at ${timeOfDay(at, Number.NaN)}; what came after is undone.`;
}

/** Returns the path of the endpoint, or the requested one, without API prefix and query. */
function pathOf({ endpoint, target }: RequestLogEntry): string {
  const [path = ''] = (endpoint ?? target).split('?');
  return shorten(
    path.replace(/:(\w+)/g, '{$1}').replace(/^\/(?:api\/partner(?:\/v1)?|_sandbox)(?=\/)/, ''),
    80,
  );
}

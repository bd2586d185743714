import type {
  AttemptActivity,
  GauntletActivity,
  LogEntryActivity,
  PageViewActivity,
  RequestActivity,
} from './activity.ts';
import type { Evidence } from './rule.ts';

/** The most characters of a piece of evidence. */
export const MAX_TEXT = 200;

/** `/orders` of `/api/partner/v1/orders`. */
export function shortPath(path: string): string {
  return path.replace(/^\/api\/partner(\/v1)?(?=\/)/, '');
}

/** `POST /orders → 409 conflict, key 5f0c…`, with more added. */
export function requestEvidence(request: RequestActivity, ...more: string[]): Evidence {
  const { id, endedAt, method, path, status, code, complete, recordedOrder } = request;
  const outcome = complete ? `${status}${code ? ` ${code}` : ''}` : 'connection closed';
  const recorded = !complete && recordedOrder ? [`order ${recordedOrder} recorded`] : [];
  const key = request.idempotencyKey ? [`key ${request.idempotencyKey}`] : [];
  const parts = [outcome, ...recorded, ...more, ...key].join(', ');
  return { kind: 'request', id, at: endedAt, text: cut(`${method} ${shortPath(path)} → ${parts}`) };
}

export function attemptEvidence(attempt: AttemptActivity, ...more: string[]): Evidence {
  const { id, at, type, event, status, outcome, signature } = attempt;
  const forged = signature === 'forged' ? 'forged ' : '';
  const parts = [status ?? outcome, ...more].join(', ');
  return { kind: 'delivery', id, at, text: cut(`${forged}${type} ${event} → ${parts}`) };
}

export function logEntryEvidence({ id, at }: LogEntryActivity, what: string): Evidence {
  return { kind: 'request', id, at, text: cut(what) };
}

export function pageViewEvidence({ id, at, session }: PageViewActivity): Evidence {
  return { kind: 'page', id, at, text: `checkout page of ${session} viewed` };
}

export function gauntletEvidence({ at, url }: GauntletActivity, what: string): Evidence {
  return { kind: 'action', id: null, at, text: cut(`webhooks gauntlet --url ${url}: ${what}`) };
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}

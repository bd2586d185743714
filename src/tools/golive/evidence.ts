import type {
  AttemptActivity,
  Evidence,
  PageViewActivity,
  ReceiverTestActivity,
  RequestActivity,
} from './activity.ts';

export const MAX_TEXT = 200;

/** `/orders` of `/api/partner/v1/orders`. */
export function shortPath(path: string): string {
  return path.replace(/^\/api\/partner(\/v1)?(?=\/)/, '');
}

/** `POST /orders → 409 conflict, key 5f0c…`, with more added. */
export function requestEvidence(request: RequestActivity, ...more: string[]): Evidence {
  const { id, at, method, path, query, status, code, complete, recordedOrder } = request;
  const outcome = complete ? `${status}${code ? ` ${code}` : ''}` : 'connection closed';
  const recorded = !complete && recordedOrder ? [`order ${recordedOrder} recorded`] : [];
  const key = request.idempotencyKey ? [`key ${request.idempotencyKey}`] : [];
  const asked = query === '' ? [] : [`query ${query}`];
  const parts = [outcome, ...recorded, ...more, ...key, ...asked].join(', ');
  return { kind: 'request', id, at, text: `${method} ${shortPath(path)} → ${parts}` };
}

/** As `requestEvidence`, of several. */
export function requestsEvidence(
  requests: readonly RequestActivity[],
  ...more: string[]
): Evidence[] {
  return requests.map((request) => requestEvidence(request, ...more));
}

export function attemptEvidence(attempt: AttemptActivity, ...more: string[]): Evidence {
  const { id, at, type, event, status, outcome, signature } = attempt;
  const forged = signature === 'forged' ? 'forged ' : '';
  const text = `${forged}${type} ${event} → ${[status ?? outcome, ...more].join(', ')}`;
  return { kind: 'delivery', id, at, text };
}

export function pageViewEvidence({ id, at, session }: PageViewActivity): Evidence {
  return { kind: 'page', id, at, text: `checkout page of ${session} viewed` };
}

export function receiverTestEvidence({ at, url }: ReceiverTestActivity, what: string): Evidence {
  return { kind: 'action', id: null, at, text: `webhooks test --url ${url}: ${what}` };
}

/** The text of a piece of evidence, not longer than a stored one may be. */
export function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}

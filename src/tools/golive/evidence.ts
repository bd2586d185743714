import type { Activity, Evidence, RequestActivity } from './activity.ts';

export const MAX_TEXT = 200;

/** `/orders` of `/api/partner/v1/orders`. */
export function shortPath(path: string): string {
  return path.replace(/^\/api\/partner(\/v1)?(?=\/)/, '');
}

/** `POST /orders → 409 conflict, key 5f0c…`, with more added. */
function describeRequest(request: RequestActivity, more: readonly string[]): string {
  const { method, path, query, status, code, complete, recordedOrder, idempotencyKey } = request;
  const outcome = complete ? `${status}${code ? ` ${code}` : ''}` : 'connection closed';
  const recorded = !complete && recordedOrder ? [`order ${recordedOrder} recorded`] : [];
  const key = idempotencyKey ? [`key ${idempotencyKey}`] : [];
  const asked = query === '' ? [] : [`query ${query}`];
  const parts = [outcome, ...recorded, ...more, ...key, ...asked].join(', ');
  return `${method} ${shortPath(path)} → ${parts}`;
}

/** Describes an activity. @param more is added to the text */
export function evidenceOf(activity: Activity, ...more: string[]): Evidence {
  const { at } = activity;
  switch (activity.kind) {
    case 'request':
      return { kind: 'request', id: activity.id, at, text: describeRequest(activity, more) };
    case 'attempt': {
      const { id, type, event, status, outcome, signature } = activity;
      const forged = signature === 'forged' ? 'forged ' : '';
      const text = `${forged}${type} ${event} → ${[status ?? outcome, ...more].join(', ')}`;
      return { kind: 'delivery', id, at, text };
    }
    case 'page_view':
      return {
        kind: 'page',
        id: activity.id,
        at,
        text: `checkout page of ${activity.session} viewed`,
      };
    case 'receiver_test':
      return { kind: 'action', id: null, at, text: `webhooks test --url ${activity.url}: ${more}` };
  }
}

/** The text of a piece of evidence, not longer than a stored one may be. */
export function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}

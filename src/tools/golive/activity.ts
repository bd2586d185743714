import { type RequestActivity, text } from './request-activity.ts';

/** What an activity shows. */
export interface ActivityEvidence {
  kind: 'request' | 'delivery' | 'page' | 'action';
  id: string | null;
  /** Real time, Unix ms. */
  at: number;
  /** A sentence that can be understood without context. */
  text: string;
}

/** A webhook attempt whose outcome is committed. */
export interface AttemptActivity {
  kind: 'attempt';
  id: string;
  at: number;
  event: string;
  type: string;
  /** The order or case of the event. */
  subject: string;
  /** The order status in the payload. */
  orderStatus?: string | undefined;
  signature: 'valid' | 'forged';
  outcome: string;
  /** Null if the receiver did not respond, or the attempt was dropped. */
  status: number | null;
}

export interface PageViewActivity {
  kind: 'page_view';
  id: string;
  at: number;
  session: string;
}

/** The result of a receiver test. */
export interface ReceiverTestActivity {
  kind: 'receiver_test';
  at: number;
  url: string;
  /** Ids of its `must` checks. */
  failed: readonly string[];
  unseen: readonly string[];
}

export type Activity = RequestActivity | AttemptActivity | PageViewActivity | ReceiverTestActivity;

export function isAccepted({ admitted, complete, status }: RequestActivity): boolean {
  return admitted && complete && status >= 200 && status < 300;
}

export function isGenuine({ injectedBy }: RequestActivity): boolean {
  return injectedBy === undefined;
}

export function isAcknowledged({ signature, outcome }: AttemptActivity): boolean {
  return signature === 'valid' && outcome === 'ok';
}

/** Returns the same text for identical requests. */
export function identityOf(request: RequestActivity): string {
  const { client, method, path, query, bodySha256 } = request;
  return `${client} ${method} ${path}?${query} ${bodySha256}`;
}

/** Returns the cursor of the next page; undefined if the log has only the start of the response. */
export function nextCursorOf({ response }: RequestActivity): string | null | undefined {
  const isWhole = response === undefined || Object.hasOwn(response, 'next_cursor');
  return isWhole ? (text(response?.next_cursor) ?? null) : undefined;
}

export function rows(body: RequestActivity['response'], name: string): Record<string, unknown>[] {
  const list = body?.[name];
  return Array.isArray(list) ? list.filter((row) => typeof row === 'object' && row) : [];
}

/** Returns `/orders` for `/api/partner/v1/orders`. */
export function shortPath(path: string): string {
  return path.replace(/^\/api\/partner(\/v1)?(?=\/)/, '');
}

/** Returns `POST /orders → 409 conflict, key 5f0c…`. @param notes are added after the outcome */
function describeRequest(request: RequestActivity, notes: readonly string[]): string {
  const { method, path, query, status, code, complete, recordedOrder, idempotencyKey } = request;
  const outcome = complete ? `${status}${code ? ` ${code}` : ''}` : 'connection closed';
  const orderNotes = !complete && recordedOrder ? [`order ${recordedOrder} recorded`] : [];
  const key = idempotencyKey ? [`key ${idempotencyKey}`] : [];
  const queryText = query === '' ? [] : [`query ${query}`];
  const parts = [outcome, ...orderNotes, ...notes, ...key, ...queryText].join(', ');
  return `${method} ${shortPath(path)} → ${parts}`;
}

/** Describes an activity. @param notes are added to the text */
export function evidenceOf(activity: Activity, ...notes: string[]): ActivityEvidence {
  const { at } = activity;
  switch (activity.kind) {
    case 'request':
      return { kind: 'request', id: activity.id, at, text: describeRequest(activity, notes) };
    case 'attempt': {
      const { id, type, event, status, outcome, signature } = activity;
      const forged = signature === 'forged' ? 'forged ' : '';
      const text = `${forged}${type} ${event} → ${[status ?? outcome, ...notes].join(', ')}`;
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
      return {
        kind: 'action',
        id: null,
        at,
        text: `webhooks test --url ${activity.url}: ${notes}`,
      };
  }
}

import type { EventType } from '../events/event-types.ts';
import { deliveredBody } from '../events/record-event.ts';
import { setPath } from '../events/set-path.ts';
import { validationError } from '../kernel/errors.ts';
import { isoTime } from '../kernel/time.ts';
import { wronglySignWebhook } from '../signing/webhook.ts';
import type { Send, SendResult } from './send.ts';
import { requireWebhookUrl } from './url-policy.ts';

/** A webhook sent on demand: it stands in no history and is not retried. */
export interface FireRequest {
  type: EventType;
  id: string;
  partnerId: string;
  /** Unix ms of sandbox time. */
  createdAt: number;
  data: Record<string, unknown>;
  /** Members to replace, by path: `data.order.status`. */
  set?: Record<string, unknown> | undefined;
  url: string;
  secret: string;
  /** How often the same event is sent, as a service that delivers at least once may. */
  times: number;
  corruptSignature: boolean;
}

export interface FireResult {
  /** Whether every attempt was answered with 200 in time. */
  ok: boolean;
  url: string;
  event: unknown;
  attempts: {
    outcome: string;
    http_status: number | null;
    duration_ms: number;
    response: string | null;
  }[];
}

/**
 * The bytes that a request would send.
 * @throws validation_error for a bad url, an unknown `set` path, or data too deep to be written down
 */
export function firedBody(request: FireRequest): string {
  requireWebhookUrl(request.url);
  try {
    return bodyOf(request);
  } catch (error) {
    if (error instanceof RangeError) throw validationError('data: nested too deeply');
    throw error;
  }
}

/** Signs and sends. @throws validation_error as `firedBody` does; nothing is sent then */
export async function fireWebhook(send: Send, request: FireRequest): Promise<FireResult> {
  const body = firedBody(request);
  const { url, secret } = request;
  const signature = request.corruptSignature ? wronglySignWebhook(secret, body) : undefined;
  const results: SendResult[] = [];
  for (let sent = 0; sent < request.times; sent += 1) {
    results.push(await send({ url, secret, body, ...(signature !== undefined && { signature }) }));
  }
  return {
    ok: results.every((result) => result.outcome === 'ok'),
    url,
    event: JSON.parse(body),
    attempts: results.map(({ outcome, httpStatus, durationMs, response }) => ({
      outcome,
      http_status: httpStatus,
      duration_ms: durationMs,
      response,
    })),
  };
}

function bodyOf({ set, ...event }: FireRequest): string {
  const body = deliveredBody(event);
  const entries = Object.entries(set ?? {});
  if (entries.length === 0) return body;
  const start: Record<string, unknown> = {
    id: event.id,
    type: event.type,
    created_at: isoTime(event.createdAt),
    partner_id: event.partnerId,
    data: event.data,
  };
  return JSON.stringify(entries.reduce((at, [path, value]) => setPath(at, path, value), start));
}

import { type EventType, isEventAbout } from '../../events/event-types.ts';
import { statusAtEvent } from '../../market/orders/order-actions.ts';
import { signWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../signing/webhook.ts';
import type { Delivery, Source, Subject } from './check.ts';

/** The body of a delivery before it is written as JSON. */
export interface WebhookEvent {
  id: string;
  type: string;
  created_at: string;
  partner_id: string;
  data: Record<string, Subject>;
}

const PARTNER_ID = 'ptr_local';

interface EventChanges {
  type?: EventType;
  subject?: Subject;
  createdAt?: string;
}

export function newEvent(source: Source, changes: EventChanges = {}): WebhookEvent {
  const { type = source.baseType, createdAt = source.time() } = changes;
  const subject = changes.subject ?? source.subject();
  const isCase = isEventAbout(type, 'case');
  return {
    id: source.eventId(),
    type,
    created_at: createdAt,
    partner_id: PARTNER_ID,
    data: isCase
      ? { case: caseOf(subject) }
      : { order: { ...subject, status: statusAtEvent(type) } },
  };
}

export function withFields(event: WebhookEvent, fields: Subject): WebhookEvent {
  const data = Object.fromEntries(
    Object.entries(event.data).map(([key, subject]) => [key, { ...subject, ...fields }]),
  );
  return { ...event, data };
}

/** An event whose order has a text in the unknown field `note`. */
export function eventWithText(source: Source, text: string): WebhookEvent {
  return withFields(newEvent(source), { note: text });
}

function caseOf({ public_id: id, domain, sale_price_cents: price, currency }: Subject): Subject {
  return {
    case_id: String(id).replace(/^ord_/, 'brk_'),
    domain,
    status: 'COMPLETED',
    tier: 'managed',
    deal_price_cents: price,
    currency,
    commission_cents: typeof price === 'number' ? Math.round(price / 20) : price,
  };
}

export interface DeliveryChanges {
  /** The body as sent; compact JSON if left out. */
  body?: Buffer | string;
  /** Values of the signature header: none, one or two. The valid one if left out. */
  signatures?: readonly string[];
  signatureHeader?: string;
  contentType?: string;
  chunked?: boolean;
  splitAt?: readonly [number, number];
  forged?: boolean;
}

/** A delivery of the event, signed over the bytes sent unless `signatures` says otherwise. */
export function delivery(
  { secret }: Pick<Source, 'secret'>,
  event: WebhookEvent,
  changes: DeliveryChanges = {},
): Delivery {
  const body = Buffer.from(changes.body ?? compact(event));
  const signatures = changes.signatures ?? [signWebhook(secret, body)];
  const name = changes.signatureHeader ?? WEBHOOK_SIGNATURE_HEADER;
  const length: [string, string] = changes.chunked
    ? ['Transfer-Encoding', 'chunked']
    : ['Content-Length', String(body.length)];
  return {
    headers: [
      ['Content-Type', changes.contentType ?? 'application/json'],
      length,
      ...signatures.map((value): [string, string] => [name, value]),
    ],
    body,
    eventId: event.id,
    orderId: idOfSubject(event),
    ...(changes.splitAt && { splitAt: changes.splitAt }),
    ...(changes.forged && { forged: true }),
  };
}

export function compact(event: WebhookEvent): string {
  return JSON.stringify(event);
}

export function pretty(event: WebhookEvent): string {
  return `${JSON.stringify(event, null, 2)}\n`;
}

function idOfSubject({ data }: WebhookEvent): string {
  const { order, case: brokerageCase } = data;
  return String(order?.public_id ?? brokerageCase?.case_id ?? '');
}

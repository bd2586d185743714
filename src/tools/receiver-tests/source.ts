import { EVENTS, type EventType } from '../../events/event-types.ts';
import { isoTime } from '../../kernel/time.ts';
import { statusAtEvent } from '../../market/orders/order-actions.ts';
import { signWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../signing/signature.ts';

export interface TestDelivery {
  /** In the order in which they are sent. The transport adds Host and User-Agent. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  eventId: string;
  orderId: string;
  /** Sent as three writes, split at these offsets of the body. */
  splitAt?: readonly [number, number];
  /** A forged delivery in a check that expects 200 otherwise. */
  forged?: true;
}

/** The order (or brokerage case) that a delivery is about. */
type Subject = Record<string, unknown>;

/** The body of a delivery, before serialization. */
export interface WebhookEvent {
  id: string;
  type: string;
  created_at: string;
  partner_id: string;
  data: Record<string, Subject>;
}

export interface DeliveryChanges extends Pick<TestDelivery, 'splitAt' | 'forged'> {
  /** The body as sent; compact JSON if left out. */
  body?: Buffer | string;
  /** Values of the signature header: none, one or two. The valid one if left out. */
  signatures?: readonly string[];
  signatureHeader?: string;
  contentType?: string;
  chunked?: boolean;
}

interface SourceOptions {
  secret: string;
  baseType: EventType;
  /** Follows `evt_` and `ord_` in every id. */
  tag: string;
  /** Time of the base delivery, Unix ms. */
  now(): number;
}

/** Builds deliveries, with new ids and orders. */
export class Source {
  readonly secret: string;
  /** The delivery of `dup.twice`. */
  repeatedDelivery: TestDelivery | undefined;
  readonly #options: SourceOptions;
  #events = 0;
  #orders = 0;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.secret = options.secret;
  }

  /** Returns an order that the receiver cannot know. */
  newOrder(): Subject {
    this.#orders += 1;
    return {
      public_id: this.#id('ord', this.#orders),
      domain: 'harbor-lamp.example',
      status: 'EXTERNALLY_PAID',
      sale_price_cents: 125_000,
      currency: 'USD',
    };
  }

  /** Returns an event about a new order, unless there is a subject. @param changes `offsetMs`: added to its time */
  event(
    changes: { type?: EventType; subject?: Subject; offsetMs?: number; note?: string } = {},
  ): WebhookEvent {
    const {
      type = this.#options.baseType,
      subject = this.newOrder(),
      offsetMs = 0,
      note,
    } = changes;
    this.#events += 1;
    const event = {
      id: this.#id('evt', this.#events),
      type,
      created_at: isoTime(this.#options.now() + offsetMs),
      partner_id: 'ptr_local',
      data:
        EVENTS[type].subject === 'case'
          ? { case: caseOf(subject) }
          : { order: { ...subject, status: statusAtEvent(type) } },
    };
    return note === undefined ? event : withFields(event, { note });
  }

  /** Builds a delivery of the event. Without `signatures`, the sent bytes are signed. */
  delivery(event: WebhookEvent, changes: DeliveryChanges = {}): TestDelivery {
    const {
      body: text = compact(event),
      signatures,
      signatureHeader = WEBHOOK_SIGNATURE_HEADER,
      contentType = 'application/json',
      chunked,
      ...sending
    } = changes;
    const body = Buffer.from(text);
    const { order, case: brokerageCase } = event.data;
    return {
      headers: [
        ['Content-Type', contentType],
        chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)],
        ...(signatures ?? [signWebhook(this.secret, body)]).map(
          (value) => [signatureHeader, value] as const,
        ),
      ],
      body,
      eventId: event.id,
      orderId: String(order?.public_id ?? brokerageCase?.case_id ?? ''),
      ...sending,
    };
  }

  #id(prefix: 'evt' | 'ord', count: number): string {
    return `${prefix}_${this.#options.tag}${String(count).padStart(4, '0')}`;
  }
}

export function withFields(event: WebhookEvent, fields: Subject): WebhookEvent {
  const data = Object.fromEntries(
    Object.entries(event.data).map(([key, subject]) => [key, { ...subject, ...fields }]),
  );
  return { ...event, data };
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

export function compact(event: WebhookEvent): string {
  return JSON.stringify(event);
}

export function pretty(event: WebhookEvent): string {
  return `${JSON.stringify(event, null, 2)}\n`;
}

import { EVENTS, type EventType } from '../../events/event-types.ts';
import { isoTime } from '../../kernel/time.ts';
import { statusAtEvent } from '../../market/orders/order-actions.ts';
import { signWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../signing/signature.ts';

export interface Delivery {
  /** In the order in which they are sent; Host and User-Agent are added by the transport. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  eventId: string;
  orderId: string;
  /** Sent as three writes, split at these offsets of the body. */
  splitAt?: readonly [number, number];
  /** Sent before the probe is read for the first time. */
  prior?: true;
  /** A forged delivery in a check that expects 200 otherwise. */
  forged?: true;
}

/** The order (or brokerage case) that a delivery is about. */
export type Subject = Record<string, unknown>;

/** The body of a delivery before it is written as JSON. */
export interface WebhookEvent {
  id: string;
  type: string;
  created_at: string;
  partner_id: string;
  data: Record<string, Subject>;
}

export interface DeliveryChanges extends Pick<Delivery, 'splitAt' | 'prior' | 'forged'> {
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
  /** Orders that the receiver knows, from `--data`. */
  orders?: readonly Subject[] | undefined;
  /** Time of the base delivery, Unix ms. */
  now(): number;
}

/** How the deliveries that are built next are used. */
interface Use {
  /** Whether the probe is read for their effect. */
  isWatched: boolean;
  /** Whether they share one order with all others that have this mark. */
  isShared?: boolean;
}

/** Builds deliveries; issues their ids and orders. */
export class Source {
  readonly secret: string;
  /** The delivery of `dup.twice`. */
  repeated: Delivery | undefined;
  readonly #options: SourceOptions;
  #events = 0;
  #orders = 0;
  #knownUsed = 0;
  #isWatched = false;
  #subject: Subject | undefined;
  #shared: Subject | undefined;
  #ranOut = false;
  #now = 0;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.secret = options.secret;
  }

  /** Builds deliveries, by default a valid one about an order of its own. */
  build(
    { isWatched, isShared = false }: Use,
    make = (source: Source) => [source.delivery(source.event())],
  ): Delivery[] {
    this.#subject = isShared ? this.#shared : undefined;
    // An order that was shared because the known ones had run out can never be watched.
    this.#ranOut = this.#subject !== undefined && this.#ranOut;
    this.#isWatched = isWatched;
    this.#now = this.#options.now();
    const deliveries = make(this);
    if (isShared) this.#shared = this.#subject;
    return deliveries;
  }

  /** Whether the last build needed a known order that `--data` did not have. */
  get ranOut(): boolean {
    return this.#ranOut;
  }

  /** Returns a subject, the same at every call within one build. */
  subject(): Subject {
    this.#subject ??= this.anotherSubject();
    return this.#subject;
  }

  /** Returns another subject at every call. */
  anotherSubject(): Subject {
    const { orders } = this.#options;
    const first = orders?.[0];
    if (orders === undefined || first === undefined) return this.unknownSubject();
    if (!this.#isWatched) return first;
    const next = orders[this.#knownUsed];
    this.#knownUsed += 1;
    if (next === undefined) this.#ranOut = true;
    return next ?? first;
  }

  /** Returns an order that the receiver cannot know. */
  unknownSubject(): Subject {
    this.#orders += 1;
    return {
      public_id: this.#id('ord', this.#orders),
      domain: 'harbor-lamp.example',
      status: 'EXTERNALLY_PAID',
      sale_price_cents: 125_000,
      currency: 'USD',
    };
  }

  /** @param changes `offsetMs`: time of the event, from the time of the base delivery */
  event(
    changes: { type?: EventType; subject?: Subject; offsetMs?: number; note?: string } = {},
  ): WebhookEvent {
    const { type = this.#options.baseType, offsetMs = 0, note } = changes;
    const subject = changes.subject ?? this.subject();
    this.#events += 1;
    const event = {
      id: this.#id('evt', this.#events),
      type,
      created_at: isoTime(this.#now + offsetMs),
      partner_id: 'ptr_local',
      data:
        EVENTS[type].subject === 'case'
          ? { case: caseOf(subject) }
          : { order: { ...subject, status: statusAtEvent(type) } },
    };
    return note === undefined ? event : withFields(event, { note });
  }

  /** Builds a delivery of the event, signed over the bytes sent unless `signatures` says otherwise. */
  delivery(event: WebhookEvent, changes: DeliveryChanges = {}): Delivery {
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

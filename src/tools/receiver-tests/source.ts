import { EVENT_KINDS, type EventType } from '../../events/event-types.ts';
import { commissionCents } from '../../kernel/money.ts';
import { caseEventData } from '../../market/brokerage/case.ts';
import { COMMISSION_BASIS_POINTS, DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import { orderEventData } from '../../market/orders/order.ts';
import { statusAtEvent } from '../../market/orders/order-actions.ts';
import { signWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../signing/signature.ts';
import { deliveredEvent } from '../../webhooks/event.ts';

export interface TestDelivery {
  /** In the order in which they are sent. The transport adds only Host and User-Agent. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  eventId: string;
  /** Id of the order or the case. */
  subjectId: string;
  /** Sent as three writes, split at these offsets of the body. */
  splitAt?: readonly [number, number];
  /** The receiver must reject it. */
  forged?: true;
}

/** The order that events are about; its status is that of the event. */
type TestOrder = Omit<Parameters<typeof orderEventData.view>[0], 'status'>;

/** The fields of the order or brokerage case that an event is about. */
type SubjectFields = Record<string, unknown>;

/** The body of a delivery, before serialization. */
export interface WebhookEvent {
  id: string;
  type: string;
  created_at: string;
  partner_id: string;
  data: Record<string, SubjectFields>;
}

/** How a delivery differs from a valid one. */
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
  /** Of events for which a check names no type. */
  type: EventType;
  /** Part of every id, so that the receiver knows none from an earlier run. */
  runTag: string;
  now(): number;
}

/** Builds the deliveries of a run. Each new event and order has an id that the receiver cannot know. */
export class DeliverySource {
  readonly secret: string;
  /** The delivery of `dup.twice`, which `dup.late` sends again. Every run with the later check has the earlier one. */
  repeatedDelivery!: TestDelivery;
  readonly #options: SourceOptions;
  #eventCount = 0;
  #orderCount = 0;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.secret = options.secret;
  }

  newOrder(): TestOrder {
    this.#orderCount += 1;
    return {
      id: this.#id('ord', this.#orderCount),
      domain: 'harbor-lamp.example',
      salePriceCents: 125_000,
      currency: 'USD',
    };
  }

  /** Returns an event about an order, by default a new one, or about a case with the domain and price of the order. */
  newEvent(
    changes: { type?: EventType; order?: TestOrder; offsetMs?: number; note?: string } = {},
  ): WebhookEvent {
    const { type = this.#options.type, order = this.newOrder(), offsetMs = 0, note } = changes;
    this.#eventCount += 1;
    const data =
      EVENT_KINDS[type].subject === 'case'
        ? caseEventData.view(caseOf(order))
        : orderEventData.view({ ...order, status: statusAtEvent(type) });
    const id = this.#id('evt', this.#eventCount);
    const createdAt = this.#options.now() + offsetMs;
    const { partnerId } = DEFAULT_CREDENTIAL;
    const view = deliveredEvent.view({ id, type, createdAt, partnerId, data });
    const event: WebhookEvent = { ...view, data: { ...data } };
    return note === undefined ? event : withFields(event, { note });
  }

  newDelivery(): TestDelivery {
    return this.delivery(this.newEvent());
  }

  /** Builds a delivery of an event. Without `signatures`, the sent bytes are signed. */
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
      subjectId: String(order?.public_id ?? brokerageCase?.case_id ?? ''),
      ...sending,
    };
  }

  #id(prefix: 'evt' | 'ord', count: number): string {
    return `${prefix}_${this.#options.runTag}${String(count).padStart(4, '0')}`;
  }
}

/** Adds fields to the order or case of an event. */
export function withFields(event: WebhookEvent, fields: SubjectFields): WebhookEvent {
  const data = Object.fromEntries(
    Object.entries(event.data).map(([key, subject]) => [key, { ...subject, ...fields }]),
  );
  return { ...event, data };
}

/** Returns a brokerage case with the domain and price of an order. */
function caseOf({ id, domain, salePriceCents, currency }: TestOrder) {
  return {
    id: id.replace(/^ord_/, 'brk_'),
    domain,
    status: 'COMPLETED' as const,
    tier: 'managed' as const,
    dealPriceCents: salePriceCents,
    currency,
    commissionCents: commissionCents(salePriceCents, COMMISSION_BASIS_POINTS.brokerage),
  };
}

export function compact(event: WebhookEvent): string {
  return JSON.stringify(event);
}

export function pretty(event: WebhookEvent): string {
  return `${JSON.stringify(event, null, 2)}\n`;
}

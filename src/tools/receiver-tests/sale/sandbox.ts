import { randomUUID } from 'node:crypto';
import { ControlApiError, type ControlClient } from '../../../client/control-client.ts';
import type { Fetch } from '../../../client/fetch.ts';
import { type Key, sendSigned, signPartnerRequest } from '../../../client/partner-client.ts';
import type { EventType } from '../../../events/event-types.ts';
import type { WebhookEffect } from '../../../faults/fault-effects.ts';
import type { FaultMatch } from '../../../faults/fault-matchers.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import type { Environment } from '../../../store/schema/enums.ts';
import { VERSION } from '../../../version.ts';
import { all, PAGE, PartnerCalls } from './partner-calls.ts';

export interface Partner extends Key {
  partner_id: string;
  partner: string;
  environment: Environment;
  world: string;
}

export interface Listing {
  domain: string;
  price_cents: number;
  currency: string;
}

export interface Order {
  public_id: string;
  domain: string;
  status: string;
}

export interface DeliveryAttempt {
  outcome: string;
  http_status: number | null;
  duration_ms: number;
}

interface SandboxDelivery {
  delivery_id: string;
  attempts: DeliveryAttempt[];
}

const IDLE_MS = 30_000;

/** The actions of the checks with orders, over both APIs of a sandbox. */
export class SaleSandbox {
  readonly partner: Partner;
  readonly calls: PartnerCalls;
  readonly #control: ControlClient;
  readonly #baseUrl: string;
  readonly #fetch: Fetch;
  readonly #runtime: Runtime;
  readonly #faults = new Set<string>();

  constructor(
    partner: Partner,
    control: ControlClient,
    { baseUrl, fetch, runtime }: { baseUrl: string; fetch: Fetch; runtime: Runtime },
  ) {
    this.partner = partner;
    this.calls = new PartnerCalls(control, partner);
    this.#control = control;
    this.#baseUrl = baseUrl;
    this.#fetch = fetch;
    this.#runtime = runtime;
  }

  /** Saves a snapshot under a free name. @returns the name */
  async saveSnapshot(): Promise<string> {
    const taken = await all<{ name: string }>(this.#control, '/snapshots', 'snapshots');
    const names = new Set(taken.map(({ name }) => name));
    let n = 1;
    while (names.has(`before-receiver-test-${n}`)) n += 1;
    const name = `before-receiver-test-${n}`;
    await this.#control.post('/snapshots', { name });
    return name;
  }

  /** Listed domains without magic ones. */
  async listings(count: number): Promise<Listing[]> {
    const { environment } = this.partner;
    const query = { environment, status: 'listed', limit: PAGE };
    const { listings } = await this.#control.get<{ listings: Listing[] }>('/inventory', query);
    return listings.filter(({ domain }) => !domain.endsWith('.test')).slice(0, count);
  }

  async findListing(domain: string): Promise<Listing | undefined> {
    const { environment } = this.partner;
    return this.#control.get<Listing>(`/inventory/${domain}`, { environment }).catch((error) => {
      if (error instanceof ControlApiError && error.status === 404) return undefined;
      throw error;
    });
  }

  /** Places an order as the partner. @throws ControlApiError if it is rejected */
  async placeOrder({ domain, price_cents, currency }: Listing): Promise<void> {
    const body = {
      domain,
      expected_price: price_cents,
      currency,
      buyer: { email: 'buyer@example.com' },
    };
    const request = signPartnerRequest(
      this.#baseUrl,
      this.partner,
      {
        method: 'POST',
        target: '/api/partner/v1/orders',
        body,
        headers: { 'Idempotency-Key': randomUUID(), 'User-Agent': `sandlot/${VERSION}` },
      },
      this.#runtime.now(),
    );
    const response = await sendSigned(this.#fetch, request);
    if (response.ok) return;
    const { error } = (await response.json()) as { error: ControlApiError };
    throw new ControlApiError(response.status, error.code, error.message);
  }

  /** Orders of the partner for a domain, newest first. */
  async ordersFor(domain: string): Promise<Order[]> {
    const { partner_id, environment } = this.partner;
    const query = { domain, partner_id, environment };
    return (await this.#control.get<{ orders: Order[] }>('/orders', query)).orders;
  }

  order(id: string): Promise<Order> {
    return this.#control.get(`/orders/${id}`);
  }

  async operate(order: Order, action: string): Promise<void> {
    await this.#control.post(`/orders/${order.public_id}/advance`, { action });
  }

  async runSettlement(): Promise<void> {
    await this.#control.post('/settlements/run', { partner_id: this.partner.partner_id });
  }

  async idle(): Promise<void> {
    await this.#control.post('/idle', { timeout_ms: IDLE_MS });
  }

  async advance(by: string): Promise<void> {
    await this.#control.post('/clock/advance', { by });
    await this.idle();
  }

  /** Adds a webhook fault that `deleteFaults` deletes. */
  async addFault(match: FaultMatch, webhook: WebhookEffect): Promise<void> {
    const { fault_id } = await this.#control.post<{ fault_id: string }>('/faults', {
      match,
      webhook,
    });
    this.#faults.add(fault_id);
  }

  async deleteFaults(): Promise<void> {
    for (const id of this.#faults) {
      this.#faults.delete(id);
      await this.#control.delete(`/faults/${id}`).catch((error) => {
        if (!(error instanceof ControlApiError && error.status === 404)) throw error;
      });
    }
  }

  /** The id of the newest event of a type about an order. */
  async findEvent(type: EventType, order: Order): Promise<string | undefined> {
    const query = { type, subject_id: order.public_id };
    const { events } = await this.#control.get<{ events: { id: string }[] }>('/events', query);
    return events[0]?.id;
  }

  async deliveriesOf(eventId: string): Promise<SandboxDelivery[]> {
    const query = { event_id: eventId };
    return (await this.#control.get<{ deliveries: SandboxDelivery[] }>('/deliveries', query))
      .deliveries;
  }

  /** Delivers an event once more. @returns its attempts */
  async resend(eventId: string): Promise<DeliveryAttempt[]> {
    const { delivery_id } = await this.#control.post<SandboxDelivery>(`/events/${eventId}/resend`);
    await this.idle();
    return (await this.#control.get<SandboxDelivery>(`/deliveries/${delivery_id}`)).attempts;
  }
}

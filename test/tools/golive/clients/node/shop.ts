// What a partner builds on the client: sales that survive errors, a catch-up job and a webhook receiver.
import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, type PartnerClient } from './client.ts';

export interface Order {
  public_id: string;
  domain: string;
  status: string;
  sale_price_cents: number;
}

export interface Quote {
  quote_id: string;
  price_cents: number;
}

export interface Event {
  id: string;
  type: string;
}

const BUYER = { email: 'buyer@example.com', name: 'Zoë', country: 'FR' };
const MAX_PRICE_CHANGES = 2;

export class Shop {
  readonly api: PartnerClient;
  #lastEvent: string | undefined;

  constructor(api: PartnerClient) {
    this.api = api;
  }

  /** Sells at the price that the buyer has seen, or at the current one, and reads it again if it has changed. */
  async sell(domain: string, shownPrice?: number): Promise<Order> {
    const key = this.api.newIdempotencyKey();
    let price = shownPrice ?? (await this.priceOf(domain));
    for (let changes = 0; ; changes += 1) {
      try {
        const order = { domain, expected_price: price, currency: 'USD', buyer: BUYER };
        return await this.api.post<Order>('/orders', order, key);
      } catch (error) {
        if (!isCode(error, 'price_mismatch') || changes === MAX_PRICE_CHANGES) throw error;
        price = await this.changedPriceOf(domain, price);
      }
    }
  }

  /** Sells at a quoted price, and renews a quote that has expired. */
  async sellQuoted(domain: string, paymentRef: string): Promise<Order> {
    const key = this.api.newIdempotencyKey();
    let quote = await this.quote(domain);
    for (let renewals = 0; ; renewals += 1) {
      try {
        const order = { quote_id: quote.quote_id, external_payment_ref: paymentRef };
        return await this.api.post<Order>('/orders', order, key);
      } catch (error) {
        if (!isCode(error, 'quote_expired') || renewals === MAX_PRICE_CHANGES) throw error;
        quote = await this.renewedQuote(domain, quote);
      }
    }
  }

  quote(domain: string): Promise<Quote> {
    return this.api.post('/quotes', { domain });
  }

  renewedQuote(domain: string, _expired: Quote): Promise<Quote> {
    return this.quote(domain);
  }

  async priceOf(domain: string): Promise<number> {
    const { buy_now_price_cents: price } = await this.api.get<{ buy_now_price_cents: number }>(
      '/pricing',
      { domain },
    );
    return price;
  }

  changedPriceOf(domain: string, _before: number): Promise<number> {
    return this.priceOf(domain);
  }

  order(id: string): Promise<Order> {
    return this.api.get(`/orders/${id}`);
  }

  /** Reads the events since the last run. */
  async catchUp(): Promise<Event[]> {
    const events: Event[] = [];
    let after: string | null | undefined = this.#lastEvent;
    do {
      const page: { events: Event[]; next_cursor: string | null } = await this.api.get(
        '/events',
        after === undefined ? { limit: 5 } : { limit: 5, after_id: after },
      );
      events.push(...page.events);
      after = this.api.nextCursor(page);
    } while (after !== null);
    this.#lastEvent = events.at(-1)?.id ?? this.#lastEvent;
    return events;
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}

/** Verifies the raw body, responds at once, and handles each event once, in any order. */
export class Receiver {
  readonly secret = 'whsec_reference';
  readonly handled = new Map<string, Event>();
  readonly #server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const signature = String(request.headers['x-service-signature'] ?? '');
    const status = this.isGenuine(body, signature) ? this.accept(body) : 401;
    setTimeout(() => response.writeHead(status).end(), this.delayMs());
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhooks`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  protected isGenuine(body: Buffer, signature: string): boolean {
    const expected = createHmac('sha256', this.secret).update(body).digest('hex');
    const [a, b] = [Buffer.from(expected), Buffer.from(signature)];
    return a.length === b.length && timingSafeEqual(a, b);
  }

  /** Returns the status of the response. */
  protected accept(body: Buffer): number {
    const event = JSON.parse(body.toString()) as Event;
    this.handled.set(event.id, event);
    return 200;
  }

  protected delayMs(): number {
    return 0;
  }
}

import { randomUUID } from 'node:crypto';
import {
  ApiError,
  type ApiRequest,
  encodeQuery,
  PartnerClient,
  type Query,
} from './node/client.ts';
import { type Event, type Quote, Receiver, Shop } from './node/shop.ts';

/** The reference integration with one change. */
interface IncorrectClient {
  client?: typeof PartnerClient;
  shop?: typeof Shop;
  receiver?: typeof Receiver;
  /** Exactly these items are contradicted. */
  contradicts: readonly string[];
  /** Items that stay unmet. */
  unmet?: readonly string[];
}

/** Retries these errors at once, again and again. */
const retriesAtOnce = (...statuses: number[]) =>
  class extends PartnerClient {
    protected override retryDelay(error: unknown, request: ApiRequest, attempt: number) {
      const isWrong = error instanceof ApiError && statuses.includes(error.status);
      if (isWrong) return attempt < 12 ? 0 : undefined;
      return super.retryDelay(error, request, attempt);
    }
  };

export const INCORRECT_CLIENTS: Readonly<Record<string, IncorrectClient>> = {
  'a new Idempotency-Key for each retry': {
    client: class extends PartnerClient {
      protected override attempt<T>(request: ApiRequest): Promise<T> {
        const { idempotencyKey } = request;
        return super.attempt({ ...request, idempotencyKey: idempotencyKey && randomUUID() });
      }
    },
    contradicts: ['sale.retry_same_key', 'sale.lost_response'],
  },
  'old signature headers in a retry': {
    client: class extends PartnerClient {
      readonly #signed = new WeakMap<ApiRequest, Record<string, string>>();
      protected override headers(request: ApiRequest): Record<string, string> {
        const headers = this.#signed.get(request) ?? super.headers(request);
        this.#signed.set(request, headers);
        return headers;
      }
    },
    contradicts: ['request.fresh_nonce'],
  },
  'time in milliseconds': {
    client: class extends PartnerClient {
      protected override timestamp(): string {
        return String(this.clock.now());
      }
    },
    contradicts: ['request.clock'],
  },
  'an unsorted query': {
    client: class extends PartnerClient {
      protected override canonicalQuery(query: Query): string {
        return encodeQuery(query);
      }
    },
    contradicts: ['request.query_encoding'],
  },
  'retries 429 at once': { client: retriesAtOnce(429), contradicts: ['retry.after_429'] },
  'retries 500 at once': { client: retriesAtOnce(500), contradicts: ['retry.after_500'] },
  'retries 400': { client: retriesAtOnce(400), contradicts: ['retry.skips_4xx'] },
  'sends an expired quote again': {
    shop: class extends Shop {
      override async renewedQuote(_domain: string, expired: Quote): Promise<Quote> {
        return expired;
      }
    },
    contradicts: ['sale.quote_renewed'],
  },
  'keeps an old price': {
    shop: class extends Shop {
      override async changedPriceOf(_domain: string, before: number): Promise<number> {
        return before;
      }
    },
    contradicts: ['sale.price_refreshed'],
  },
  'one key for all sales': {
    client: class extends PartnerClient {
      override newIdempotencyKey(): string {
        return 'the-only-key';
      }
    },
    contradicts: ['sale.key_per_sale'],
  },
  'receiver responds 204': {
    receiver: class extends Receiver {
      protected override accept(body: Buffer): number {
        super.accept(body);
        return 204;
      }
    },
    contradicts: ['hook.status_200'],
  },
  'receiver responds 200 to forged webhooks': {
    receiver: class extends Receiver {
      protected override isGenuine(): boolean {
        return true;
      }
    },
    contradicts: ['hook.rejects_forgery'],
  },
  'receiver responds 409 to duplicates': {
    receiver: class extends Receiver {
      protected override accept(body: Buffer): number {
        const { id } = JSON.parse(body.toString()) as Event;
        return this.handled.has(id) ? 409 : super.accept(body);
      }
    },
    contradicts: ['hook.duplicate'],
  },
  'ignores a 500': {
    client: class extends PartnerClient {
      protected override retryDelay(error: unknown, request: ApiRequest, attempt: number) {
        const is500 = error instanceof ApiError && error.status === 500;
        return is500 ? undefined : super.retryDelay(error, request, attempt);
      }
    },
    contradicts: [],
    unmet: ['retry.after_500'],
  },
  'invents cursors': {
    client: class extends PartnerClient {
      override nextCursor(page: { next_cursor: string | null }): string | null {
        return page.next_cursor && `${page.next_cursor}-2`;
      }
    },
    contradicts: [],
    unmet: ['list.getOrders', 'list.getEvents'],
  },
};

/** With a sandbox whose timers run 20 times as fast: responds after 7 s. */
export class SlowReceiver extends Receiver {
  protected override delayMs(): number {
    return 7_000 / 20;
  }
}

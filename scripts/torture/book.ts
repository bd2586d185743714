import type { SignedRequest } from '../../src/client/partner-client.ts';

/** An order that was acknowledged. */
export interface BookedOrder {
  id: string;
  domain: string;
  /** The states it may be in: one, or more while a move is unanswered. */
  states: string[];
  sent: SignedRequest;
  body: string;
}

/** What the sandbox has acknowledged, and what it was asked without an answer. */
export class Book {
  readonly orders = new Map<string, BookedOrder>();
  /** Requests for an order whose answer never came: recorded or not. */
  unanswered: SignedRequest[] = [];
  /** Paid hosted checkouts by transaction, with the states that each may be in. */
  readonly sales = new Map<string, string[]>();
  readonly keyIds = new Set<string>();

  recorded(sent: SignedRequest, body: string): BookedOrder {
    const { public_id: id, domain, status } = JSON.parse(body) as Record<string, string>;
    const order = { id: id ?? '', domain: domain ?? '', states: [status ?? ''], sent, body };
    this.orders.set(order.id, order);
    return order;
  }
}

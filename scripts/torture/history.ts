import type { PartnerRequest } from '../../src/client/partner-client.ts';

/** An acknowledged order. */
export interface AcknowledgedOrder {
  id: string;
  domain: string;
  /** Its possible states: one, or several while a move has no response. */
  states: string[];
  sent: PartnerRequest;
  body: string;
}

/** Records what the sandbox has acknowledged, and which requests got no response. */
export class History {
  readonly orders = new Map<string, AcknowledgedOrder>();
  /** Order requests without a response: the order may be recorded or not. */
  unanswered: PartnerRequest[] = [];
  /** Paid hosted checkouts by transaction, with their possible states. */
  readonly sales = new Map<string, string[]>();

  addOrder(sent: PartnerRequest, body: string): AcknowledgedOrder {
    const { public_id: id, domain, status } = JSON.parse(body) as Record<string, string>;
    const order = { id: id ?? '', domain: domain ?? '', states: [status ?? ''], sent, body };
    this.orders.set(order.id, order);
    return order;
  }
}

import type { Fetch } from '../../client/fetch.ts';

export type Action = string | (() => unknown);

/** Options of the checks with real orders in a running sandbox. */
export interface SaleOptions {
  /** Base URL of the sandbox. */
  sandbox: string;
  /** World of the orders; that of the credential if left out. */
  world?: string;
  controlToken?: string;
  /** Key id of a credential of the partner; the default credential if left out. */
  as?: string;
  /** Buys a domain at a price. Without it, orders are placed for you. */
  buy?: string | ((order: { domain: string; priceCents: number }) => unknown);
  /** Reads missed events from GET /events. */
  catchUp?: Action;
  /** Changes the webhook secret. */
  rotate?: Action;
  fetch?: Fetch;
}

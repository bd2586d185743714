import type { Fetch } from '../../client/fetch.ts';

/** Options of the checks with real orders in a running sandbox. */
export interface SaleOptions {
  /** Base URL of the sandbox. */
  sandbox: string;
  /** World of the orders; that of the credential if left out. */
  world?: string;
  controlToken?: string;
  /** Key id of a credential of the partner; the default credential if left out. */
  as?: string;
  /** Shell command that buys GAUNTLET_DOMAIN at GAUNTLET_PRICE_CENTS. Without it, orders are placed for you. */
  buy?: string;
  /** Shell command that reads missed events from GET /events. */
  catchUp?: string;
  /** Shell command that changes the webhook secret. */
  rotate?: string;
  fetch?: Fetch;
}

/** Objects that a word on the command line can name. */
export interface Listed {
  /** The field that names one in errors of the control API. */
  field: string;
  /** The command that lists them. */
  command: string;
  /** Where completion finds them, and the name of the list in the response. */
  path: string;
  items: string;
  /** The field of an item that is its name, and those that describe it. */
  name: string;
  about: readonly string[];
  /** Parameter of the query that keeps the items whose name begins with a text. */
  prefix?: string;
  /** Whether the list has no pages. */
  isWhole?: true;
}

/**
 * @param more overrides of the defaults: an item is named by `field`, and the list in the response has the name of its path
 */
function listed(
  field: string,
  command: string,
  path: string,
  about: readonly string[],
  more: Partial<Listed> = {},
): Listed {
  return { field, command, path, items: path.slice(1), name: field, about, ...more };
}

const SALE = ['domain', 'status'];

export const LISTED = {
  order: listed('public_id', 'orders list', '/orders', SALE),
  credential: listed('key_id', 'credentials list', '/credentials', ['partner', 'environment']),
  domain: listed('domain', 'inventory list', '/inventory', ['status'], {
    items: 'listings',
    prefix: 'q',
  }),
  event: listed('event_id', 'events list', '/events', ['type', 'subject_id'], { name: 'id' }),
  delivery: listed('delivery_id', 'webhooks deliveries', '/deliveries', ['status', 'url']),
  request: listed('request_id', 'requests list', '/requests', ['method', 'path', 'status']),
  fault: listed('fault_id', 'faults list', '/faults', []),
  registration: listed('url', 'webhooks registrations', '/webhooks', ['partner', 'environment']),
  snapshot: listed('snapshot', 'snapshots list', '/snapshots', ['created_at'], { name: 'name' }),
  world: listed('world', 'worlds list', '/worlds', [], { name: 'name' }),
  partner: listed('partner_id', 'credentials list', '/credentials', ['partner_id'], {
    name: 'partner',
  }),
  quote: listed('quote_id', 'quotes list', '/quotes', SALE, { name: 'quote' }),
  session: listed('session_id', 'checkout list', '/checkout-sessions', SALE, {
    items: 'checkout_sessions',
  }),
  transaction: listed('transaction_id', 'transactions list', '/transactions', SALE),
  case: listed('case_id', 'brokerage list', '/brokerage', SALE, { items: 'cases' }),
  statement: listed('statement_id', 'settlements list', '/settlements', ['status', 'partner']),
  payout: listed('payout_id', 'payouts list', '/payouts', ['partner', 'created_at']),
};

export type ListedName = keyof typeof LISTED;

/** @param listed a name, or the entry of a tool for its own objects */
export function listedAs(listed: ListedName | Listed): Listed {
  return typeof listed === 'string' ? LISTED[listed] : listed;
}

/** Returns the command that lists what a field of an error names. */
export function listCommandOf(field: string): string | undefined {
  return Object.values<Listed>(LISTED).find((listed) => listed.field === field)?.command;
}

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

export const LISTED = {
  order: {
    field: 'public_id',
    command: 'orders list',
    path: '/orders',
    items: 'orders',
    name: 'public_id',
    about: ['domain', 'status'],
  },
  credential: {
    field: 'key_id',
    command: 'credentials list',
    path: '/credentials',
    items: 'credentials',
    name: 'key_id',
    about: ['partner', 'environment'],
  },
  domain: {
    field: 'domain',
    command: 'inventory list',
    path: '/inventory',
    items: 'listings',
    name: 'domain',
    about: ['status'],
    prefix: 'q',
  },
  event: {
    field: 'event_id',
    command: 'events list',
    path: '/events',
    items: 'events',
    name: 'id',
    about: ['type', 'subject_id'],
  },
  delivery: {
    field: 'delivery_id',
    command: 'webhooks deliveries',
    path: '/deliveries',
    items: 'deliveries',
    name: 'delivery_id',
    about: ['status', 'url'],
  },
  request: {
    field: 'request_id',
    command: 'requests list',
    path: '/requests',
    items: 'requests',
    name: 'request_id',
    about: ['method', 'path', 'status'],
  },
  fault: {
    field: 'fault_id',
    command: 'faults list',
    path: '/faults',
    items: 'faults',
    name: 'fault_id',
    about: [],
  },
  registration: {
    field: 'url',
    command: 'webhooks registrations',
    path: '/webhooks',
    items: 'webhooks',
    name: 'url',
    about: ['partner', 'environment'],
  },
  snapshot: {
    field: 'snapshot',
    command: 'snapshots list',
    path: '/snapshots',
    items: 'snapshots',
    name: 'name',
    about: ['created_at'],
  },
  world: {
    field: 'world',
    command: 'worlds list',
    path: '/worlds',
    items: 'worlds',
    name: 'name',
    about: [],
  },
  partner: {
    field: 'partner_id',
    command: 'credentials list',
    path: '/credentials',
    items: 'credentials',
    name: 'partner',
    about: ['partner_id'],
  },
  quote: {
    field: 'quote_id',
    command: 'quotes list',
    path: '/quotes',
    items: 'quotes',
    name: 'quote',
    about: ['domain', 'status'],
  },
  session: {
    field: 'session_id',
    command: 'checkout list',
    path: '/checkout-sessions',
    items: 'checkout_sessions',
    name: 'session_id',
    about: ['domain', 'status'],
  },
  transaction: {
    field: 'transaction_id',
    command: 'transactions list',
    path: '/transactions',
    items: 'transactions',
    name: 'transaction_id',
    about: ['domain', 'status'],
  },
  case: {
    field: 'case_id',
    command: 'brokerage list',
    path: '/brokerage',
    items: 'cases',
    name: 'case_id',
    about: ['domain', 'status'],
  },
  statement: {
    field: 'statement_id',
    command: 'settlements list',
    path: '/settlements',
    items: 'settlements',
    name: 'statement_id',
    about: ['status', 'partner'],
  },
  payout: {
    field: 'payout_id',
    command: 'payouts list',
    path: '/payouts',
    items: 'payouts',
    name: 'payout_id',
    about: ['partner', 'created_at'],
  },
} as const satisfies Readonly<Record<string, Listed>>;

export type ListedName = keyof typeof LISTED;

/** @param listed a name; a tool passes what it lists itself */
export function listedAs(listed: ListedName | Listed): Listed {
  return typeof listed === 'string' ? LISTED[listed] : listed;
}

/** Returns the command that lists what a field of an error names. */
export function listCommandOf(field: string): string | undefined {
  return Object.values<Listed>(LISTED).find((each) => each.field === field)?.command;
}

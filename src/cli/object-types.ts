/** A type of object that a word of the command line can name. */
export interface ObjectType {
  /** The field with its id or name in errors of the control API. */
  field: string;
  /** The command that lists them. */
  command: string;
  /** The list that completion reads, and the name of its items in the response. */
  path: string;
  items: string;
  /** The field of an item with its id or name, and those that describe it. */
  name: string;
  describedBy: readonly string[];
  /** Query parameter that filters items by the beginning of their name. */
  prefix?: string;
  /** Whether the list has no pages. */
  isUnpaged?: true;
}

/**
 * @param overrides replaces the defaults: `name` is `field`, and `items` is the path
 */
function objects(
  field: string,
  command: string,
  path: string,
  describedBy: readonly string[],
  overrides: Partial<ObjectType> = {},
): ObjectType {
  return {
    field,
    command,
    path,
    items: path.slice(1),
    name: field,
    describedBy,
    ...overrides,
  };
}

const SALE = ['domain', 'status'];

export const OBJECT_TYPES = {
  order: objects('public_id', 'orders list', '/orders', SALE),
  credential: objects('key_id', 'credentials list', '/credentials', ['partner', 'environment']),
  domain: objects('domain', 'inventory list', '/inventory', ['status'], {
    items: 'listings',
    prefix: 'q',
  }),
  event: objects('event_id', 'events list', '/events', ['type', 'subject_id'], { name: 'id' }),
  delivery: objects('delivery_id', 'webhooks deliveries', '/deliveries', ['status', 'url']),
  request: objects('request_id', 'requests list', '/requests', ['method', 'path', 'status']),
  fault: objects('fault_id', 'faults list', '/faults', []),
  registration: objects('url', 'webhooks registrations', '/webhooks', ['partner', 'environment']),
  snapshot: objects('snapshot', 'snapshots list', '/snapshots', ['created_at'], { name: 'name' }),
  world: objects('world', 'worlds list', '/worlds', [], { name: 'name' }),
  partner: objects('partner_id', 'credentials list', '/credentials', ['partner_id'], {
    name: 'partner',
  }),
  quote: objects('quote_id', 'quotes list', '/quotes', SALE, { name: 'quote' }),
  session: objects('session_id', 'checkout list', '/checkout-sessions', SALE, {
    items: 'checkout_sessions',
  }),
  transaction: objects('transaction_id', 'transactions list', '/transactions', SALE),
  case: objects('case_id', 'brokerage list', '/brokerage', SALE, { items: 'cases' }),
  statement: objects('statement_id', 'settlements list', '/settlements', ['status', 'partner']),
  payout: objects('payout_id', 'payouts list', '/payouts', ['partner', 'created_at']),
};

export type ObjectTypeName = keyof typeof OBJECT_TYPES;

/** @param type a name, or the type of a tool's own objects */
export function objectTypeOf(type: ObjectTypeName | ObjectType): ObjectType {
  return typeof type === 'string' ? OBJECT_TYPES[type] : type;
}

/** Returns the command that lists the objects of a field in an error. */
export function listCommandOf(field: string): string | undefined {
  return Object.values<ObjectType>(OBJECT_TYPES).find((type) => type.field === field)?.command;
}

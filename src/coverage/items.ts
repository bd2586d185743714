import { EVENT_TYPES, type EventType, isEventAbout } from '../events/event-types.ts';
import { ERROR_CODES, type ErrorCode } from '../kernel/errors.ts';
import { ORDER_STATUSES, type OrderStatus } from '../store/schema/order-states.ts';
import type { Feature } from './features.ts';

/** `must`: without it you lose orders, money or requests in production. */
export type Level = 'must' | 'advice';

/** What to do to see an item. Commands are shown without `sandlot`; `P` stands for a path that was used. */
export interface Next {
  text: string;
  commands: readonly string[];
  /** Magic domains that do it. */
  domains?: readonly string[];
}

/** A behavior of an integration (golive, "Item families" and "Behavior items"). */
export interface Item {
  /** `group.name` */
  id: string;
  level: Level;
  title: string;
  /** It applies only if all of these groups of features are used; any feature of a group is enough. */
  needs: readonly (readonly Feature[])[];
  /** For families: it applies only if this operation was requested. */
  operation?: string;
  /** Raised when the meaning of its evidence changes. */
  rev: number;
  /** The version of the item list that it joined. */
  since: number;
  next: Next;
}

/** What the items need to know of an endpoint of the partner API. */
export interface Operation {
  /** The `operationId`. */
  name: string;
  method: string;
  path: string;
  /** Whether its list has pages. */
  pages: boolean;
}

interface Behavior {
  level: Level;
  title: string;
  needs?: readonly (readonly Feature[])[];
  next: Next;
}

const commands = (text: string, ...list: string[]): Next => ({ text, commands: list });

/** Golive, "Behavior items". */
const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  'request.fresh_nonce': {
    level: 'must',
    title: 'Send a new nonce with each request',
    next: commands('Create a nonce for each attempt, retries included.'),
  },
  'request.clock': {
    level: 'must',
    title: 'Send the current time',
    next: commands('Send Unix seconds. Check the clock.', 'doctor'),
  },
  'request.query_encoding': {
    level: 'must',
    title: 'Sign a query with special characters',
    needs: [['discovery']],
    next: commands('Search for `café (bar)!`.'),
  },
  'request.body_bytes': {
    level: 'advice',
    title: 'Sign a body with non-ASCII characters',
    needs: [['sales']],
    next: commands('Order for a buyer named `Zoë`.'),
  },
  'request.secret_kept': {
    level: 'must',
    title: 'Never send the secret',
    next: commands('Keep the secret on your server.'),
  },
  'request.known_fields': {
    level: 'advice',
    title: 'Send only known fields and parameters',
    next: commands('Read the warnings of a request.', 'requests show ID'),
  },
  'retry.after_429': {
    level: 'must',
    title: 'Wait for Retry-After before a retry',
    next: commands('Retry after `Retry-After`.', 'faults add --path P --status 429 --first 3'),
  },
  'retry.after_500': {
    level: 'must',
    title: 'Retry with a back-off after a 500',
    next: commands(
      'Retry after at least 100 ms.',
      'faults add --path P --code internal_error --first 2',
    ),
  },
  'retry.after_closed': {
    level: 'advice',
    title: 'Retry a GET whose connection was closed',
    next: commands(
      'Retry the request.',
      'faults add --method GET --path P --drop before --times 2',
    ),
  },
  'retry.skips_4xx': {
    level: 'advice',
    title: 'Do not retry an error that no retry can change',
    next: commands(
      'Send the request once.',
      'faults add --path P --code validation_error --first 3',
    ),
  },
  'sale.quote_used': {
    level: 'must',
    title: 'Record an order with a quote',
    needs: [['quotes']],
    next: commands('Request POST /quotes, then POST /orders with the quote_id.'),
  },
  'sale.quote_renewed': {
    level: 'must',
    title: 'Get a new quote when one has expired',
    needs: [['quotes']],
    next: {
      text: 'Order this domain with a quote.',
      commands: [],
      domains: ['quote-expires.test'],
    },
  },
  'sale.price_refreshed': {
    level: 'must',
    title: 'Order at the new price when it has changed',
    needs: [['price_orders']],
    next: { text: 'Order this domain.', commands: [], domains: ['price-moves.test'] },
  },
  'sale.key_per_sale': {
    level: 'must',
    title: 'Use a new Idempotency-Key for each sale',
    needs: [['sales']],
    next: commands('Place two orders.'),
  },
  'sale.retry_same_key': {
    level: 'must',
    title: 'Retry an order with the same Idempotency-Key',
    needs: [['sales']],
    next: commands(
      'Place an order, and retry it with the same Idempotency-Key and body.',
      'faults add --method POST --path /orders --code internal_error --first 2',
    ),
  },
  'sale.lost_response': {
    level: 'must',
    title: 'Find the order after a lost response',
    needs: [['sales']],
    next: {
      text: 'Place an order. Retry it with the same Idempotency-Key and body.',
      commands: ['faults add --method POST --path /orders --drop after --times 1'],
      domains: ['lost-response.test'],
    },
  },
  'sale.not_available': {
    level: 'must',
    title: 'Handle a domain that is not available any more',
    needs: [['sales']],
    next: {
      text: 'Order one of these domains.',
      commands: [],
      domains: ['sold-meanwhile.test', 'reserved.test'],
    },
  },
  'sale.refund_too_late': {
    level: 'must',
    title: 'Handle a refund that comes too late',
    needs: [['refunds']],
    next: commands(
      'Refund the order after its transfer.',
      'orders advance ID --to TRANSFER_COMPLETED',
    ),
  },
  'hook.status_200': {
    level: 'must',
    title: 'Respond to webhooks with 200',
    needs: [['webhooks']],
    next: commands('Respond 200.', 'orders advance ID'),
  },
  'hook.in_time': {
    level: 'must',
    title: 'Respond to webhooks within 5 seconds',
    needs: [['webhooks']],
    next: commands('Respond, then process.', 'orders advance ID'),
  },
  'hook.rejects_forgery': {
    level: 'must',
    title: 'Reject a forged webhook, then accept the valid one',
    needs: [['webhooks']],
    next: commands(
      'Place an order, then move the clock.',
      'faults add --webhook corrupt_signature --times 1',
      'clock advance 5s',
    ),
  },
  'hook.duplicate': {
    level: 'must',
    title: 'Accept an event twice',
    needs: [['webhooks']],
    next: commands('Deliver an event again.', 'events resend ID'),
  },
  'hook.reordered': {
    level: 'must',
    title: 'Accept events out of order',
    needs: [['webhooks']],
    next: commands(
      'Deliver an event after a newer one.',
      'faults add --webhook reorder --times 1',
      'orders advance ID --to TRANSFER_COMPLETED',
    ),
  },
  'hook.gauntlet': {
    level: 'advice',
    title: 'Pass the webhook gauntlet',
    needs: [['webhooks']],
    next: commands('Test the receiver.', 'webhooks gauntlet --url URL'),
  },
  'history.resumed': {
    level: 'must',
    title: 'Resume the event history where it ended',
    needs: [['history']],
    next: commands('Run your catch-up job twice.'),
  },
  'history.caught_up': {
    level: 'must',
    title: 'Read events whose webhooks failed',
    needs: [['webhooks']],
    next: commands(
      'Place an order, run your catch-up job, then remove the fault.',
      'faults add --webhook drop',
      'faults clear',
    ),
  },
  'money.statement_read': {
    level: 'must',
    title: 'Read a closed settlement statement',
    needs: [['sales']],
    next: commands(
      'Read the statement.',
      'orders advance ID --to TRANSFER_COMPLETED',
      'settlements run',
    ),
  },
  'money.payout_read': {
    level: 'advice',
    title: 'Read a payout',
    needs: [['checkout', 'brokerage']],
    next: commands('Read the payout.', 'transactions deliver ID', 'payouts run'),
  },
  'checkout.page_viewed': {
    level: 'must',
    title: 'Send a buyer to the checkout page',
    needs: [['checkout']],
    next: commands('Open `checkout_url`.'),
  },
  'checkout.sale_learned': {
    level: 'must',
    title: 'Read a sale of a hosted checkout',
    needs: [['checkout']],
    next: commands('Read the sale.', 'checkout pay ID'),
  },
  'brokerage.eligibility_first': {
    level: 'must',
    title: 'Check eligibility before opening a case',
    needs: [['brokerage']],
    next: commands('Check eligibility, then open a case.'),
  },
  'brokerage.deal_learned': {
    level: 'must',
    title: 'Learn of the deal of a brokerage case',
    needs: [['brokerage']],
    next: commands('Read the case.', 'brokerage advance ID --to COMPLETED'),
  },
  'referral.clicks_read': {
    level: 'advice',
    title: 'Read the clicks on a referral link',
    needs: [['referral']],
    next: commands('Open the `url` of a link, and read its clicks.'),
  },
  'discovery.not_available': {
    level: 'advice',
    title: 'Handle a domain that is not for sale',
    needs: [['discovery']],
    next: { text: 'Ask for this domain.', commands: [], domains: ['active-site.test'] },
  },
};

/** Codes with an item of their own; the others are in a behavior item, or a client that sends its headers never gets them. */
const ERROR_LEVELS: Readonly<Partial<Record<ErrorCode, Level>>> = {
  validation_error: 'must',
  not_found: 'must',
  conflict: 'must',
  forbidden: 'advice',
  invalid_signature: 'advice',
};

/** Where the other codes are covered; null for codes that a client never gets if it always sends its headers. */
export const ERROR_COVERED_BY: Readonly<Partial<Record<ErrorCode, string | null>>> = {
  rate_limited: 'retry.after_429',
  internal_error: 'retry.after_500',
  price_mismatch: 'sale.price_refreshed',
  quote_expired: 'sale.quote_renewed',
  invalid_timestamp: 'request.clock',
  replay_detected: 'request.fresh_nonce',
  missing_credentials: null,
  missing_signature_headers: null,
  missing_idempotency_key: null,
};

const ADVISED_STATUSES = new Set<OrderStatus>(['MANUAL_REVIEW', 'CANCELLED']);
const REQUIRED_LISTS = new Set(['getOrders', 'getTransactions', 'getEvents']);

const EVENT_COMMANDS = {
  'order.recorded': [],
  'order.manual_review_cleared': ['orders hold ID', 'orders clear ID'],
  'order.transfer_started': ['orders advance ID'],
  'order.transfer_completed': ['orders advance ID --to TRANSFER_COMPLETED'],
  'order.settled': ['orders advance ID --to TRANSFER_COMPLETED', 'settlements run'],
  'order.refunded': ['orders refund ID'],
  'brokerage.case_completed': ['brokerage advance ID --to COMPLETED'],
} as const satisfies Partial<Record<EventType, readonly string[]>>;

function eventCommands(type: EventType): readonly string[] {
  const commands: Partial<Record<EventType, readonly string[]>> = EVENT_COMMANDS;
  return commands[type] ?? ['orders advance ID'];
}

function statusCommands(status: OrderStatus): readonly string[] {
  if (status === 'EXTERNALLY_PAID') return [];
  if (status === 'MANUAL_REVIEW') return ['orders hold ID'];
  if (status === 'REFUNDED') return ['orders refund ID'];
  if (status === 'CANCELLED') return ['orders cancel ID'];
  if (status === 'SETTLED') return EVENT_COMMANDS['order.settled'];
  return [`orders advance ID --to ${status}`];
}

/** Makes every item, in the order of the report. */
export function makeItems(operations: readonly Operation[]): Item[] {
  const item = (id: string, level: Level, title: string, next: Next, more: Partial<Item> = {}) => ({
    id,
    level,
    title,
    needs: [],
    rev: 1,
    since: 1,
    next,
    ...more,
  });
  return [
    ...operations.map(({ name, method, path }) =>
      item(
        `call.${name}`,
        'must',
        `Get a success from ${method} ${path}`,
        commands('Request it from your integration.'),
        { operation: name },
      ),
    ),
    ...ERROR_CODES.flatMap((code) => {
      const level = ERROR_LEVELS[code];
      if (!level) return [];
      const next = commands('Send a request.', `faults add --path P --code ${code} --times 1`);
      return [item(`error.${code}`, level, `Get ${code}`, next)];
    }),
    ...EVENT_TYPES.map((type) =>
      item(
        `event.${type}`,
        'must',
        `Receive ${type}`,
        commands(
          isEventAbout(type, 'case') ? 'Open a brokerage case.' : 'Place an order.',
          ...eventCommands(type),
        ),
        { needs: [['webhooks'], [isEventAbout(type, 'case') ? 'brokerage' : 'sales']] },
      ),
    ),
    ...ORDER_STATUSES.map((status) =>
      item(
        `status.${status}`,
        ADVISED_STATUSES.has(status) ? 'advice' : 'must',
        `See an order that is ${status}`,
        commands('Place an order, and read it.', ...statusCommands(status)),
        { needs: [['sales']] },
      ),
    ),
    ...operations.flatMap(({ name, method, path, pages }) =>
      pages
        ? [
            item(
              `list.${name}`,
              REQUIRED_LISTS.has(name) ? 'must' : 'advice',
              `Read all pages of ${method} ${path}`,
              commands('Read with `limit=1` and two or more rows.'),
              { operation: name },
            ),
          ]
        : [],
    ),
    ...Object.entries(BEHAVIORS).map(([id, { level, title, needs = [], next }]) =>
      item(id, level, title, next, { needs }),
    ),
  ];
}

/** `sale` of `sale.lost_response`. */
export function groupOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

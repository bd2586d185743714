import { EVENT_TYPES, type EventType, isEventAbout } from '../../events/event-types.ts';
import { ERROR_CODES, type ErrorCode } from '../../kernel/errors.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../store/schema/order-states.ts';
import { COMPLETE_ORDER, groupOf, type Item, type Level } from './item.ts';
import { HOOK_RULES } from './rules/hook-rules.ts';
import { READ_RULES } from './rules/read-rules.ts';
import { REQUEST_RULES } from './rules/request-rules.ts';
import { RETRY_RULES } from './rules/retry-rules.ts';
import { SALE_RULES } from './rules/sale-rules.ts';

/** The rules that each declare an item, in the order of the report. */
export const BEHAVIOR_RULES = [
  ...REQUEST_RULES,
  ...RETRY_RULES,
  ...SALE_RULES,
  ...HOOK_RULES,
  ...READ_RULES,
];

export interface Operation {
  name: string;
  method: string;
  path: string;
  /** The parameter that takes `next_cursor`; undefined if it is not a list of pages. */
  pages: 'cursor' | 'after_id' | undefined;
}

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

/** Items whose evidence has changed its meaning. */
const REVS: Readonly<Record<string, number>> = {
  'sale.quote_renewed': 2,
  'sale.price_refreshed': 2,
};

const SETTLE_ORDER = [COMPLETE_ORDER, 'sandlot settlements run'];

/** How to bring an event about, after the order or the case was created. */
const EVENT_STEPS: Readonly<Partial<Record<EventType, readonly string[]>>> = {
  'order.recorded': [],
  'order.manual_review_cleared': ['sandlot orders hold ID', 'sandlot orders clear ID'],
  'order.transfer_completed': [COMPLETE_ORDER],
  'order.settled': SETTLE_ORDER,
  'order.refunded': ['sandlot orders refund ID'],
  'brokerage.case_completed': ['sandlot brokerage advance ID --to COMPLETED'],
};

const STATUS_STEPS: Readonly<Partial<Record<OrderStatus, readonly string[]>>> = {
  EXTERNALLY_PAID: [],
  MANUAL_REVIEW: ['sandlot orders hold ID'],
  SETTLED: SETTLE_ORDER,
  REFUNDED: ['sandlot orders refund ID'],
  CANCELLED: ['sandlot orders cancel ID'],
};

/** When an item of a family is met. */
const FAMILY_MET: Readonly<Record<string, string>> = {
  call: 'A request was accepted.',
  error: 'A response had this code.',
  event: 'A delivery of this type was acknowledged: 200 within 5 s.',
  status: 'A response to a read, or an acknowledged delivery, showed an order in this status.',
  list: 'All pages were read: the first without a cursor, then each with the `next_cursor` just received, at least two, until it was null.',
};

export function makeItems(operations: readonly Operation[]): Item[] {
  return [
    ...operations.map((operation) =>
      item(
        `call.${operation.name}`,
        'must',
        `Request ${operation.method} ${operation.path} successfully`,
        ['Use it in your integration.'],
        { operation },
      ),
    ),
    ...ERROR_CODES.flatMap((code) => {
      const level = ERROR_LEVELS[code];
      const fault = `sandlot faults add --path P --code ${code} --times 1`;
      return level
        ? [item(`error.${code}`, level, `Receive the error ${code}`, [fault, 'Request this path.'])]
        : [];
    }),
    ...EVENT_TYPES.map((type) => {
      const isAboutCase = isEventAbout(type, 'case');
      return item(
        `event.${type}`,
        'must',
        `Receive the event ${type}`,
        [
          isAboutCase ? 'Open a brokerage case.' : 'Place an order.',
          ...(EVENT_STEPS[type] ?? ['sandlot orders advance ID']),
        ],
        { needs: [['webhooks'], [isAboutCase ? 'brokerage' : 'sales']] },
      );
    }),
    ...ORDER_STATUSES.map((status) =>
      item(
        `status.${status}`,
        ADVISED_STATUSES.has(status) ? 'advice' : 'must',
        `Read an order in status ${status}`,
        [
          'Place an order.',
          ...(STATUS_STEPS[status] ?? [`sandlot orders advance ID --to ${status}`]),
          'Read the order.',
        ],
        { needs: [['sales']] },
      ),
    ),
    ...operations
      .filter(({ pages }) => pages !== undefined)
      .map((operation) => {
        const { name, method, path, pages } = operation;
        const level = REQUIRED_LISTS.has(name) ? 'must' : 'advice';
        const steps = [
          `Read ${method} ${path} with limit=1 while it has two or more rows, and pass next_cursor as ${pages}.`,
        ];
        const title = `Read all pages of ${method} ${path}`;
        return item(`list.${name}`, level, title, steps, { operation });
      }),
    ...BEHAVIOR_RULES.flatMap(({ item: declared }): Item[] => {
      if (typeof declared === 'string') return [];
      const { id, level, title, steps, needs, ...texts } = declared;
      return [item(id, level, title, steps, { needs: needs ? [needs] : [], ...texts })];
    }),
  ];
}

function item(
  id: string,
  level: Level,
  title: string,
  steps: readonly string[],
  more: Partial<Item> = {},
): Item {
  const met = FAMILY_MET[groupOf(id)] ?? '';
  return { id, level, title, needs: [], rev: REVS[id] ?? 1, since: 1, steps, met, ...more };
}

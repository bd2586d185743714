import { ENDPOINTS } from '../../../api/index.ts';
import { EVENT_KINDS, EVENT_TYPES, type EventType } from '../../../events/event-types.ts';
import { ERROR_CODES, type ErrorCode } from '../../../kernel/errors.ts';
import { shortTarget } from '../../../requests/describe-entry.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../../store/schema/order-states.ts';
import {
  evidenceOf,
  isAccepted,
  isAcknowledged,
  type JsonObject,
  nextCursorOf,
  type Operation,
  type RequestActivity,
  rows,
  text,
} from '../activity.ts';
import { COMPLETE_ORDER, type Item, type Level } from '../item.ts';
import type { ItemRule, Rule } from '../rule.ts';

type FamilyItem = Omit<Item, 'met'>;

/** Declares the items of a family, and their common rule. @param met tells when an item is met */
function family(met: string, items: readonly FamilyItem[], rule: Rule): ItemRule {
  return { items: items.map((item) => ({ ...item, met })), rule };
}

const CURSORS = ['cursor', 'after_id'] as const;

const OPERATIONS = ENDPOINTS.map(({ name, method, path, query }) => ({
  name: name as Operation,
  route: `${method} ${shortTarget({ api: 'partner', target: path }).replaceAll(/:(\w+)/g, '{$1}')}`,
  /** The parameter that takes `next_cursor`; undefined if the operation has no pages. */
  cursorParameter: CURSORS.find((cursor) => query && cursor in query.shape),
}));

const calls = family(
  'A request was accepted.',
  OPERATIONS.map(({ name, route }) => ({
    id: `call.${name}`,
    level: 'must',
    title: `Request ${route} successfully`,
    steps: ['Use it in your integration.'],
    needs: [name],
  })),
  (observe) => ({
    request(request) {
      if (isAccepted(request)) observe('met', request, `call.${request.operation}`);
    },
  }),
);

/** Other codes have an item with a rule of its own, or never come if a client always sends its headers. */
const ERROR_LEVELS: Readonly<Partial<Record<ErrorCode, Level>>> = {
  validation_error: 'must',
  not_found: 'must',
  conflict: 'must',
  forbidden: 'advice',
  invalid_signature: 'advice',
};

const errors = family(
  'A response had this code.',
  ERROR_CODES.flatMap((code): FamilyItem[] => {
    const level = ERROR_LEVELS[code];
    if (level === undefined) return [];
    const title = `Receive the error ${code}`;
    const steps = [`sandlot faults add --code ${code} --times 1`, 'Send a request.'];
    return [{ id: `error.${code}`, level, title, steps }];
  }),
  (observe) => ({
    request(request) {
      const { code, complete } = request;
      if (code && complete) observe('met', request, `error.${code}`);
    },
  }),
);

const SETTLE_ORDER = [COMPLETE_ORDER, 'sandlot settlements run'];

/** Steps that cause an event, after the order or the case was created. */
const EVENT_STEPS: Readonly<Record<EventType, readonly string[]>> = {
  'order.recorded': [],
  'order.manual_review_cleared': ['sandlot orders hold ID', 'sandlot orders clear ID'],
  'order.transfer_started': ['sandlot orders advance ID'],
  'order.transfer_completed': [COMPLETE_ORDER],
  'order.settled': SETTLE_ORDER,
  'order.refunded': ['sandlot orders refund ID'],
  'brokerage.case_completed': ['sandlot brokerage advance ID --to COMPLETED'],
};

const events = family(
  'A delivery of this type was acknowledged: 200 within 5 s.',
  EVENT_TYPES.map((type) => {
    const isAboutCase = EVENT_KINDS[type].subject === 'case';
    return {
      id: `event.${type}`,
      level: 'must',
      title: `Receive the event ${type}`,
      steps: [isAboutCase ? 'Open a brokerage case.' : 'Place an order.', ...EVENT_STEPS[type]],
      needs: ['webhooks', isAboutCase ? 'brokerage' : 'sales'],
    };
  }),
  (observe) => ({
    attempt(attempt) {
      if (isAcknowledged(attempt)) observe('met', attempt, `event.${attempt.type}`);
    },
  }),
);

const ADVISED_STATUSES = new Set<OrderStatus>(['MANUAL_REVIEW', 'CANCELLED']);

const STATUS_STEPS: Readonly<Partial<Record<OrderStatus, readonly string[]>>> = {
  EXTERNALLY_PAID: [],
  MANUAL_REVIEW: ['sandlot orders hold ID'],
  SETTLED: SETTLE_ORDER,
  REFUNDED: ['sandlot orders refund ID'],
  CANCELLED: ['sandlot orders cancel ID'],
};

const statuses = family(
  'A response to a read, or an acknowledged delivery, showed an order in this status.',
  ORDER_STATUSES.map((status) => ({
    id: `status.${status}`,
    level: ADVISED_STATUSES.has(status) ? 'advice' : 'must',
    title: `Read an order in status ${status}`,
    steps: [
      'Place an order.',
      ...(STATUS_STEPS[status] ?? [`sandlot orders advance ID --to ${status}`]),
      'Read the order.',
    ],
    needs: ['sales'],
  })),
  (observe) => {
    const metBy =
      (ordersIn: (response: JsonObject) => readonly JsonObject[]) => (request: RequestActivity) => {
        if (!isAccepted(request)) return;
        const statuses = ordersIn(request.response ?? {}).map(({ status }) => text(status));
        for (const status of new Set(statuses)) {
          if (status) observe('met', evidenceOf(request, status), `status.${status}`);
        }
      };
    return {
      getOrder: metBy((order) => [order]),
      getOrders: metBy((response) => rows(response, 'orders')),
      getTransactions: metBy((response) =>
        rows(response, 'transactions').filter((row) => row.order_public_id !== null),
      ),
      attempt(attempt) {
        const { orderStatus: status } = attempt;
        if (status === null || !isAcknowledged(attempt)) return;
        observe('met', evidenceOf(attempt, status), `status.${status}`);
      },
    };
  },
);

const REQUIRED_LISTS = new Set<Operation>(['getOrders', 'getTransactions', 'getEvents']);
const LISTS = OPERATIONS.filter(({ cursorParameter }) => cursorParameter !== undefined);

const lists = family(
  'All pages were read: the first without a cursor, then each with the `next_cursor` just received, at least two, until it was null.',
  LISTS.map(({ name, route, cursorParameter }) => ({
    id: `list.${name}`,
    level: REQUIRED_LISTS.has(name) ? 'must' : 'advice',
    title: `Read all pages of ${route}`,
    steps: [
      `Read ${route} with limit=1 while it has two or more rows, and pass next_cursor as ${cursorParameter}.`,
    ],
    needs: [name],
  })),
  (observe) => {
    // The last page that was read, by client, list and `next_cursor`. If the log lacks its `next_cursor`, by client and
    // list only: any cursor continues it.
    const pages = new Map<string, RequestActivity>();
    function read(request: RequestActivity): void {
      if (!isAccepted(request)) return;
      const { client, operation, query } = request;
      const list = `${client} ${operation}`;
      const parameters = new URLSearchParams(query);
      const cursor = CURSORS.map((name) => parameters.get(name)).find((value) => value !== null);
      const before = cursor && (pages.get(`${list} ${cursor}`) ?? pages.get(list));
      const next = nextCursorOf(request);
      if (next === null) {
        if (before) observe('met', [before, request], `list.${operation}`);
      } else if (before || cursor === undefined) {
        pages.set(next === undefined ? list : `${list} ${next}`, request);
      }
    }
    return Object.fromEntries(LISTS.map(({ name }) => [name, read]));
  },
);

/** In the order of the report. */
export const FAMILY_RULES: readonly ItemRule[] = [calls, errors, events, statuses, lists];

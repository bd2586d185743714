/** What a list endpoint and its page have in common. */
import {
  CASE_STATUSES,
  ENVIRONMENTS,
  ORDER_STATUSES,
  PAYMENT_MODELS,
  QUOTE_STATUSES,
  SESSION_STATES,
  STATEMENT_STATUSES,
  TRANSACTION_STATUSES,
} from '../store/schema/enums.ts';

/** A query parameter that narrows a list. Its schema and its field on the page follow from it. */
export interface Filter {
  /** A sentence without its period, for the help and the document. */
  summary: string;
  label: string;
  /** What it can be; absent for text. */
  values?: readonly string[];
  kind?: 'domain' | 'time';
  placeholder?: string;
  /** Leaves it to the URL of the page. */
  hasNoField?: true;
}

export interface List {
  /** Below `/_sandbox`; an item is at `path/:id`. */
  path: `/${string}`;
  /** Property of the response that holds the items. */
  items: string;
  /** How texts name one of them, and several. */
  one: string;
  many: string;
  filters: Readonly<Record<string, Filter>>;
}

const filtersOf = (many: string) => ({
  partner_id: {
    summary: `Only ${many} of this partner, by name or ID`,
    label: 'Partner',
    placeholder: 'local',
  },
  environment: {
    summary: `Only ${many} of this environment, SANDBOX or LIVE`,
    label: 'Environment',
    values: ENVIRONMENTS,
  },
  domain: {
    summary: `Only ${many} of this domain; text without a dot matches a part of the name`,
    label: 'Domain',
    kind: 'domain' as const,
  },
  ...time('from', `Only ${many} created at or after this time`),
  ...time('to', `Only ${many} created before this time`),
});

function time<Name extends string>(name: Name, summary: string): Record<Name, Filter> {
  const filter: Filter = {
    summary,
    label: name,
    kind: 'time',
    hasNoField: true,
  };
  return { [name]: filter } as Record<Name, Filter>;
}

function status(many: string, values: readonly string[]): Record<'status', Filter> {
  return {
    status: {
      summary: `Only ${many} in this state`,
      label: 'Status',
      values,
    },
  };
}

function list(
  path: List['path'],
  one: string,
  filters: (many: string, common: ReturnType<typeof filtersOf>) => List['filters'],
  items = path.slice(1),
): List {
  const many = `${one}s`;
  return { path, items, one, many, filters: filters(many, filtersOf(many)) };
}

export const ORDERS = list('/orders', 'order', (many, { domain, ...others }) => ({
  domain,
  ...status(many, ORDER_STATUSES),
  ...others,
}));

export const QUOTES = list('/quotes', 'quote', (many, { domain, ...others }) => ({
  domain,
  ...status(many, QUOTE_STATUSES),
  ...others,
}));

export const CHECKOUT_SESSIONS = list(
  '/checkout-sessions',
  'checkout session',
  (many, { domain, ...others }) => ({ domain, ...status(many, SESSION_STATES), ...others }),
  'checkout_sessions',
);

export const TRANSACTIONS = list('/transactions', 'transaction', (many, { domain, ...others }) => ({
  domain,
  ...status(many, TRANSACTION_STATUSES),
  payment_model: {
    summary: `Only ${many} of this payment model`,
    label: 'Model',
    values: PAYMENT_MODELS,
  },
  ...others,
}));

export const CASES = list(
  '/brokerage',
  'brokerage case',
  (many, { domain, ...others }) => ({ domain, ...status(many, CASE_STATUSES), ...others }),
  'cases',
);

export const STATEMENTS = list(
  '/settlements',
  'settlement statement',
  (many, { partner_id, environment }) => ({
    ...status(many, STATEMENT_STATUSES),
    partner_id,
    environment,
  }),
);

export const PAYOUTS = list('/payouts', 'payout', (_, { domain, ...others }) => others);

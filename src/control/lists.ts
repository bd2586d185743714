/** Lists of the control API with common filters. */
import {
  CASE_STATUSES,
  ENVIRONMENTS,
  ORDER_STATUSES,
  PAYMENT_MODELS,
  SESSION_STATES,
  STATEMENT_STATUSES,
  TRANSACTION_STATUSES,
} from '../store/schema/enums.ts';

/** A query parameter that narrows a list. Its schema follows from it. */
export interface Filter {
  /** A sentence without a period, for the help and the OpenAPI document. */
  summary: string;
  /** The values that it accepts; absent for text. */
  values?: readonly string[];
  kind?: 'domain';
}

export interface List<Path extends string = string> {
  /** Below `/_sandbox`; an item is at `path/:id`. */
  path: Path;
  /** The noun of an item in texts, and its plural. */
  singular: string;
  plural: string;
  filters: Readonly<Record<string, Filter>>;
}

/** Returns every filter that a list can have, in order. */
function filtersOf(plural: string, status: readonly string[]) {
  return {
    domain: {
      summary: `Only ${plural} of this domain; text without a dot matches a part of the name`,
      kind: 'domain',
    },
    status: { summary: `Only ${plural} in this state`, values: status },
    payment_model: {
      summary: `Only ${plural} of this payment model`,
      values: PAYMENT_MODELS,
    },
    partner_id: {
      summary: `Only ${plural} of this partner, by name or ID`,
    },
    environment: {
      summary: `Only ${plural} of this environment, SANDBOX or LIVE`,
      values: ENVIRONMENTS,
    },
  } as const satisfies List['filters'];
}

type FilterName = keyof ReturnType<typeof filtersOf>;

/** @param omitted names of the filters that the list does not have */
function list<const Path extends string>(
  path: Path,
  singular: string,
  status: readonly string[],
  omitted: readonly FilterName[] = ['payment_model'],
): List<Path> {
  const plural = `${singular}s`;
  const filters = Object.entries(filtersOf(plural, status)).filter(
    ([name]) => !omitted.includes(name as FilterName),
  );
  return { path, singular, plural, filters: Object.fromEntries(filters) };
}

export const ORDERS = list('/orders', 'order', ORDER_STATUSES);
export const CHECKOUT_SESSIONS = list('/checkout-sessions', 'checkout session', SESSION_STATES);
export const TRANSACTIONS = list('/transactions', 'transaction', TRANSACTION_STATUSES, []);
export const CASES = list('/brokerage', 'brokerage case', CASE_STATUSES);
export const STATEMENTS = list('/settlements', 'settlement statement', STATEMENT_STATUSES, [
  'payment_model',
  'domain',
]);
export const PAYOUTS = list('/payouts', 'payout', [], ['payment_model', 'domain', 'status']);

/** Filters as text: `status:4xx -code:conflict since:10m`. Lists, their pages and `find` read the same. */
import { normalizeDomain } from '../kernel/addresses.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { ERROR_CODES, validationError } from '../kernel/errors.ts';
import { parseDuration, parseIsoTime } from '../kernel/time.ts';
import { endOfTokens } from '../market/row-token.ts';
import type { RequestFilter } from '../requests/list-requests.ts';
import { APIS } from '../requests/message.ts';
import { EVENT_TYPES } from '../store/schema/enums.ts';
import { type DeliveryFilter, LISTED_STATUSES } from '../webhooks/list-deliveries.ts';

/** A filter by name. `read` returns undefined for a value that it does not accept. */
interface WhereFilter<Filter> {
  /** The accepted values, for errors: `must be …`. */
  accepts: string;
  read(value: string, now: number): Filter | undefined;
}

type WhereFilters<Filter> = Readonly<Record<string, WhereFilter<Filter>>>;

export interface Where<Filter> {
  allOf: (Filter | { not: Filter })[];
  /** Names of the filters. */
  names: string[];
  /** Words that are not filters. */
  text: string;
}

/** The values of a status filter, also of the query parameter `status`. */
export const STATUS_PATTERN = /^(?:[1-5]\d\d|[1-5]xx|error|closed)$/;
export const STATUS_ACCEPTS = 'a status such as 404, a class such as 4xx, error, or closed';

/** Makes a filter from a function that reads its value. */
function filter<Filter>(
  accepts: string,
  read: (value: string, now: number) => Filter | undefined,
): WhereFilter<Filter> {
  return { accepts, read };
}

function oneOf<Value extends string, Filter>(
  values: readonly Value[],
  make: (value: Value) => Filter,
): WhereFilter<Filter> {
  return filter(`one of ${values.join(', ')}`, (text) => {
    const value = values.find((allowed) => allowed === text);
    return value && make(value);
  });
}

function matching<Filter>(
  pattern: RegExp,
  accepts: string,
  make: (value: string) => Filter,
): WhereFilter<Filter> {
  return filter(accepts, (value) => (pattern.test(value) ? make(value) : undefined));
}

const ORDER = [/^ord_\w+$/, 'an order such as ord_…'] as const;

function event<Filter>(make: (event: string, isId: boolean) => Filter): WhereFilter<Filter> {
  return filter(`an event such as evt_…, or one of ${EVENT_TYPES.join(', ')}`, (value) => {
    const isId = /^evt_\w+$/.test(value);
    return isId || EVENT_TYPES.some((type) => type === value) ? make(value, isId) : undefined;
  });
}

function domain<Filter>(make: (domain: string) => Filter): WhereFilter<Filter> {
  return filter('a domain such as x.io', (value) => {
    const name = normalizeDomain(value);
    return name === undefined ? undefined : make(name);
  });
}

function since<Filter>(make: (at: number) => Filter): WhereFilter<Filter> {
  return filter('a duration such as 10m, or an ISO 8601 time', (value, now) => {
    const age = parseDuration(value);
    const at = age === undefined ? parseIsoTime(value.toUpperCase()) : now - age;
    return at === undefined ? undefined : make(at);
  });
}

interface DurationBounds {
  longerThan?: number;
  shorterThan?: number;
}

function took<Filter>(make: (bounds: DurationBounds) => Filter): WhereFilter<Filter> {
  return filter('> or < and a duration, such as >200ms', (value) => {
    const ms = /^[<>]/.test(value) ? parseDuration(value.slice(1)) : undefined;
    if (ms === undefined) return undefined;
    return make(value.startsWith('>') ? { longerThan: ms } : { shorterThan: ms });
  });
}

const path = <Filter>(make: (path: string) => Filter) =>
  matching(/./, 'a part of the path or query; * matches any text', make);

/** Matches requests that name a domain, or a quote of it. */
export function aboutDomain(domain: string): RequestFilter {
  return { anyOf: [{ names: domain }, { text: endOfTokens(domain) }] };
}

export const REQUEST_FILTERS: WhereFilters<RequestFilter> = {
  status: matching(STATUS_PATTERN, STATUS_ACCEPTS, (status) => ({ status })),
  code: oneOf(ERROR_CODES, (code) => ({ code })),
  method: matching(/^[A-Za-z]+$/, 'a method such as POST', (method) => ({ method })),
  path: path((part) => ({ path: part })),
  order: matching(...ORDER, (names) => ({ names })),
  domain: domain(aboutDomain),
  key: matching(/^[\w-]+$/, 'a key ID such as dmk_…', (keyId) => ({ keyId })),
  event: event((name) => ({ event: name })),
  fault: oneOf(['yes', 'no'], (value) => ({ hasFault: value === 'yes' })),
  endpoint: oneOf(['unknown'], () => ({ isUnknown: true })),
  api: oneOf([...APIS, 'all'], (api) => (api === 'all' ? {} : { api })),
  since: since((from) => ({ from })),
  took: took((bounds) => bounds),
};

export const DELIVERY_FILTERS: WhereFilters<DeliveryFilter> = {
  status: filter(
    `one of ${LISTED_STATUSES.join(', ')}, or the status of the last response, such as 503 or 5xx`,
    (value) => {
      const status = LISTED_STATUSES.find((allowed) => allowed === value);
      if (status) return { status };
      return /^[1-5](?:\d\d|xx)$/.test(value) ? { response: value } : undefined;
    },
  ),
  path: path((part) => ({ url: part })),
  order: matching(...ORDER, (subjectId) => ({ subjectId })),
  domain: domain((name) => ({ domain: name })),
  event: event((name, isId) => (isId ? { eventId: name } : { type: name })),
  since: since((at) => ({ since: at })),
  took: took((bounds) => bounds),
};

interface ReadOptions {
  /** The parameter that errors name. */
  field: string;
  /** Unix ms, for ages such as `10m`. */
  now: number;
  /** Whether words that are not filters are allowed. */
  takesText?: boolean;
}

/**
 * Reads filters, joined by spaces and negated by `-`. Quotes keep spaces together.
 * @throws validation_error for an unknown filter or a value that it does not accept
 */
export function readWhere<Filter extends object>(
  text: string,
  filters: WhereFilters<Filter>,
  { field, now, takesText = false }: ReadOptions,
): Where<Filter> {
  const allOf: Where<Filter>['allOf'] = [];
  const names: string[] = [];
  const texts: string[] = [];
  for (const word of text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []) {
    const [, minus, name = '', quotedValue = ''] = /^(-?)([a-z_]+):(?!\/\/)(.*)$/s.exec(word) ?? [];
    if (name === '' && takesText) {
      texts.push(unquoted(word));
      continue;
    }
    if (name === '') throw unknownFilter(field, word, filters);
    if (!Object.hasOwn(filters, name)) throw unknownFilter(field, name, filters);
    const value = unquoted(quotedValue);
    const result = filters[name]?.read(value, now);
    if (result === undefined) {
      throw validationError(`${field}: ${name}:${value} must be ${filters[name]?.accepts}`);
    }
    names.push(name);
    allOf.push(minus === '-' ? { not: result } : result);
  }
  return { allOf, names, text: texts.join(' ') };
}

function unquoted(text: string): string {
  return text.replaceAll('"', '');
}

function unknownFilter(field: string, word: string, filters: object) {
  const names = Object.keys(filters);
  const hint = didYouMean(word.replace(/^-/, ''), names);
  const quoted = JSON.stringify(word.slice(0, 100));
  return validationError(
    `${field}: ${quoted} is not a filter.${hint} Filters are ${names.join(', ')}, each as name:value`,
  );
}

/** Describes a parameter with filters, for the help and the documents. */
export function describeWhere(filters: object): string {
  return `Filters, joined by spaces and negated by \`-\`: ${Object.keys(filters).join(', ')}.`;
}

/** Filters of requests as text: `status:4xx -code:conflict since:10m`. Lists, their pages and `find` read the same. */
import { eq, gt, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import { MAGIC_FAULTS } from '../faults/fault-effects.ts';
import { normalizeDomain } from '../kernel/addresses.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { ERROR_CODES, validationError } from '../kernel/errors.ts';
import { parseDuration, parseIsoTime } from '../kernel/time.ts';
import { endOfQuoteTokens } from '../market/row-token.ts';
import {
  hasName,
  hasPath,
  hasStatus,
  hasStep,
  hasText,
  isUnknownEndpoint,
} from '../requests/conditions.ts';
import { requests } from '../requests/log-file.ts';
import { EVENT_TYPES } from '../store/schema/enums.ts';

/** A filter by name. `read` returns undefined for a value that it does not accept. */
interface WhereFilter {
  /** The accepted values, for errors: `must be …`. */
  accepts: string;
  read(value: string, now: number): SQL | undefined;
}

export interface Where {
  conditions: SQL[];
  /** Words that are not filters. */
  text: string;
}

function oneOf<Value extends string>(
  values: readonly Value[],
  make: (value: Value) => SQL | undefined,
): WhereFilter {
  return {
    accepts: `one of ${values.join(', ')}`,
    read: (text) => {
      const value = values.find((allowed) => allowed === text);
      return value && make(value);
    },
  };
}

function matching(
  pattern: RegExp,
  accepts: string,
  make: (value: string) => SQL | undefined,
): WhereFilter {
  return { accepts, read: (value) => (pattern.test(value) ? make(value) : undefined) };
}

/** Matches requests that name a domain, or a quote of it. */
export function aboutDomain(domain: string): SQL | undefined {
  return or(hasName(domain), hasText(endOfQuoteTokens(domain)));
}

/** A fault acted: `fault` of `withSubjects` is not null. */
const isFaulty = or(
  hasStep('fault', 'fault_id'),
  ...Object.keys(MAGIC_FAULTS).map((behavior) => hasStep('magic_domain', behavior)),
);

export const REQUEST_FILTERS: Readonly<Record<string, WhereFilter>> = {
  status: matching(
    /^(?:[1-5]\d\d|[1-5]xx|error|closed)$/,
    'a status such as 404, a class such as 4xx, error, or closed',
    hasStatus,
  ),
  code: oneOf(ERROR_CODES, (code) => eq(requests.code, code)),
  method: matching(/^[A-Za-z]+$/, 'a method such as POST', (method) =>
    eq(requests.method, method.toUpperCase()),
  ),
  path: matching(/./, 'a part of the path or query; * matches any text', hasPath),
  order: matching(/^ord_\w+$/, 'an order such as ord_…', hasName),
  domain: {
    accepts: 'a domain such as x.io',
    read: (value) => {
      const domain = normalizeDomain(value);
      return domain === undefined ? undefined : aboutDomain(domain);
    },
  },
  key: matching(/^[\w-]+$/, 'a key ID such as dmk_…', (keyId) => eq(requests.keyId, keyId)),
  event: {
    accepts: `an event such as evt_…, or one of ${EVENT_TYPES.join(', ')}`,
    read: (event) => {
      const isEvent = /^evt_\w+$/.test(event) || EVENT_TYPES.some((type) => type === event);
      return isEvent ? hasStep('event', event) : undefined;
    },
  },
  fault: oneOf(['yes', 'no'], (value) => (value === 'yes' ? isFaulty : sql`NOT (${isFaulty})`)),
  endpoint: oneOf(['unknown'], () => isUnknownEndpoint),
  since: {
    accepts: 'a duration such as 10m, or an ISO 8601 time',
    read: (value, now) => {
      const age = parseDuration(value);
      const from = age === undefined ? parseIsoTime(value) : now - age;
      return from === undefined ? undefined : gte(requests.at, from);
    },
  },
  took: {
    accepts: '> or < and a duration, such as >200ms',
    read: (value) => {
      const ms = /^[<>]/.test(value) ? parseDuration(value.slice(1)) : undefined;
      if (ms === undefined) return undefined;
      return (value.startsWith('>') ? gt : lt)(requests.durationUs, ms * 1_000);
    },
  },
};

interface ReadOptions {
  /** The parameter that errors name. */
  field: string;
  /** Sandbox time, Unix ms, for ages such as `10m`. */
  now: number;
  /** Whether words that are not filters are allowed. */
  takesText?: boolean;
}

/**
 * Reads filters, joined by spaces and negated by `-`. Quotes keep spaces together.
 * @throws validation_error for an unknown filter or a value that it does not accept
 */
export function readWhere(text: string, { field, now, takesText = false }: ReadOptions): Where {
  const conditions: SQL[] = [];
  const texts: string[] = [];
  const hint = takesText ? '; put text with a colon in double quotes' : '';
  for (const word of text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []) {
    // A name, a colon and a value; not an address such as http://127.0.0.1.
    const [, minus, name = '', quotedValue = ''] = /^(-?)([a-z_]+):(?!\/\/)(.*)$/s.exec(word) ?? [];
    if (name === '' && takesText) {
      texts.push(unquoted(word));
      continue;
    }
    const filter = Object.hasOwn(REQUEST_FILTERS, name) ? REQUEST_FILTERS[name] : undefined;
    if (!filter) throw unknownFilter(field, name || word, hint);
    const value = unquoted(quotedValue);
    const condition = filter.read(value, now);
    if (condition === undefined) {
      throw validationError(`${field}: ${name}:${value} must be ${filter.accepts}${hint}`);
    }
    conditions.push(minus === '-' ? sql`(${condition}) IS NOT TRUE` : condition);
  }
  return { conditions, text: texts.join(' ') };
}

/** Leaves quotes within a word, as in JSON. */
const unquoted = (text: string) => text.replace(/^"|"$/g, '');

function unknownFilter(field: string, word: string, hint: string) {
  const names = Object.keys(REQUEST_FILTERS);
  const suggestion = didYouMean(word.replace(/^-/, ''), names);
  const quoted = JSON.stringify(word.slice(0, 100));
  return validationError(
    `${field}: ${quoted} is not a filter.${suggestion} Filters are ${names.join(', ')}, each as name:value${hint}`,
  );
}

import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { formatDuration, parseDuration, parseIsoTime } from '../../kernel/time.ts';
import {
  canonicalQuery,
  MalformedQueryError,
  splitTarget,
  targetAsSent,
} from '../../signing/canonical.ts';

/** Reads one value of the command line. @throws InvalidArgumentError that says what is expected */
export interface Parse<T> {
  (text: string): T;
  /** The accepted values, or those of the items of a list, for completion. */
  values?: readonly string[];
}

/** Reads one of the values, ignoring case, and returns it as `values` has it. */
export function oneOf<const Value extends string>(values: readonly Value[]): Parse<Value> {
  const parse = (text: string) => {
    const match = values.find((value) => value.toLowerCase() === text.toLowerCase());
    if (match !== undefined) return match;
    throw new InvalidArgumentError(
      `Allowed choices are ${values.join(', ')}.${didYouMean(text, values)}`,
    );
  };
  return Object.assign(parse, { values });
}

export function listOf<const Value extends string>(values: readonly Value[]): Parse<Value[]> {
  const parseValue = oneOf(values);
  return Object.assign((text: string) => commaSeparated(text).map(parseValue), { values });
}

export function wholeNumber(from: number, to = Number.MAX_SAFE_INTEGER): Parse<number> {
  const range = to === Number.MAX_SAFE_INTEGER ? `, at least ${from}` : ` from ${from} to ${to}`;
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Expected a whole number${range}.`);
  };
}

/** Reads a price, such as `1999`, `1999.5` or `$1,999.00`. */
export const dollarsToCents: Parse<number> = (text) => {
  const match = /^\$?(\d{1,10}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?$/.exec(text);
  const [, wholeDollars = '', cents = ''] = match ?? [];
  const value = Number(wholeDollars.replaceAll(',', '')) * 100 + Number(cents.padEnd(2, '0'));
  if (match && value > 0) return value;
  throw new InvalidArgumentError('Expected a price in dollars such as 1999.00.');
};

/** Reads a number above 0 and at most 1, such as `0.2` or `.2`. */
export const positiveFraction: Parse<number> = (text) => {
  const value = /^(?:\d*\.)?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value <= 1) return value;
  throw new InvalidArgumentError('Expected a number above 0 and at most 1, such as 0.2.');
};

/** Reads the words between commas; empty ones are left out. */
export const commaSeparated: Parse<string[]> = (text) => {
  const words = text.split(',').flatMap((word) => word.trim() || []);
  if (words.length > 0) return words;
  throw new InvalidArgumentError('It has only commas; is a shell variable unset?');
};

/** Reads a duration, returns milliseconds. */
export function durationMs(minMs = 0, maxMs = Number.MAX_SAFE_INTEGER): Parse<number> {
  return (text) => {
    const ms = parseDuration(text);
    if (ms === undefined) throw new InvalidArgumentError(EXPECTED_DURATION);
    if (ms < minMs) throw new InvalidArgumentError(`Expected at least ${formatDuration(minMs)}.`);
    if (ms <= maxMs) return ms;
    throw new InvalidArgumentError(`Expected at most ${formatDuration(maxMs)}.`);
  };
}

const EXPECTED_DURATION = 'Expected a duration such as 90s, 11m, 1h30m or 2d.';

/** Checks a duration and returns it as it is spelled. */
export const durationText: Parse<string> = (text) => {
  if (parseDuration(text) !== undefined) return text;
  throw new InvalidArgumentError(EXPECTED_DURATION);
};

/** Checks a date or time and returns it as it is spelled. */
export const isoTimeText: Parse<string> = (text) => {
  if (parseIsoTime(text) !== undefined) return text;
  throw new InvalidArgumentError(
    'Expected an ISO 8601 date, or a time with Z or an offset, such as 2026-04-01T09:00:00Z.',
  );
};

/** Checks an absolute http or https URL and returns it as it is spelled. */
export const webAddress: Parse<string> = (text) => {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('Expected a URL such as http://127.0.0.1:8080/hooks.');
};

/** Reads `name=value`; the value may contain equals signs. */
export const assignment: Parse<[name: string, value: string]> = (text) => {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new InvalidArgumentError('Expected NAME=VALUE.');
};

export const requestPath: Parse<string> = (text) => {
  if (text.startsWith('/')) return text;
  throw new InvalidArgumentError('Expected a path such as /api/partner/v1/orders.');
};

/** Reads path and query of a request as `fetch` sends them. */
export const requestTarget: Parse<string> = (text) => {
  const target = targetAsSent(requestPath(text));
  try {
    canonicalQuery(splitTarget(target).query);
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error;
    throw new InvalidArgumentError(`Expected percent escapes of UTF-8. ${error.message}.`);
  }
  return target;
};

export const httpMethod = oneOf(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

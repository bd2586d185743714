import { didYouMean } from '../kernel/did-you-mean.ts';
import { parseDuration, parseIsoTime } from '../kernel/time.ts';
import { canonicalQuery, MalformedQueryError, splitTarget } from '../signing/canonical.ts';
import type { Parse } from './declare.ts';
import { InvalidValueError } from './failures.ts';

/** Readers of values on the command line; each refuses with a sentence that says what is expected. */

/** One of a fixed set of words, in upper or lower case. */
export function oneOf<const Word extends string>(words: readonly Word[]): Parse<Word> {
  return (text) => {
    const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
    if (found !== undefined) return found;
    throw new InvalidValueError(`Expected one of ${words.join(', ')}.${didYouMean(text, words)}`);
  };
}

/** Several of a fixed set of words, separated by commas. */
export function listOf<const Word extends string>(words: readonly Word[]): Parse<Word[]> {
  const one = oneOf(words);
  return (text) => {
    const parts = text.split(',').map((word) => word.trim());
    return parts.filter((word) => word !== '').map(one);
  };
}

export function wholeNumber(from: number, to = Number.MAX_SAFE_INTEGER): Parse<number> {
  const range = to === Number.MAX_SAFE_INTEGER ? `, at least ${from}` : ` from ${from} to ${to}`;
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidValueError(`Expected a whole number${range}.`);
  };
}

/** An amount of dollars, as cents. */
export const dollars: Parse<number> = (text) => {
  const match = /^\$?(\d{1,10}|\d{1,3}(?:,\d{3}){1,3})(?:\.(\d{1,2}))?$/.exec(text);
  const [, whole = '', cents = ''] = match ?? [];
  const value = Number(whole.replaceAll(',', '')) * 100 + Number(cents.padEnd(2, '0'));
  if (match && value > 0) return value;
  throw new InvalidValueError('Expected a price in dollars such as 1999.00.');
};

/** Above 0 and at most 1. */
export const positiveFraction: Parse<number> = (text) => {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value <= 1) return value;
  throw new InvalidValueError('Expected a number above 0 and at most 1, such as 0.2.');
};

/** Words separated by commas. */
export const words: Parse<string[]> = (text) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** A duration, as milliseconds. */
export function duration(longest = Number.MAX_SAFE_INTEGER, shown = ''): Parse<number> {
  return (text) => {
    const ms = parseDuration(text);
    if (ms === undefined) throw new InvalidValueError(expectedDuration);
    if (ms <= longest) return ms;
    throw new InvalidValueError(`Expected at most ${shown}.`);
  };
}

const expectedDuration = 'Expected a duration such as 90s, 11m, 1h30m or 2d.';

/** A duration, checked but left as it is spelled. */
export const durationText: Parse<string> = (text) => {
  if (parseDuration(text) !== undefined) return text;
  throw new InvalidValueError(expectedDuration);
};

/** A date or time, checked but left as it is spelled. */
export const isoTimeText: Parse<string> = (text) => {
  if (parseIsoTime(text) !== undefined) return text;
  throw new InvalidValueError(
    'Expected an ISO 8601 date, or a time with Z or an offset, such as 2026-04-01T09:00:00Z.',
  );
};

/** An absolute http or https address, left as it is spelled. */
export const webAddress: Parse<string> = (text) => {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new InvalidValueError('Expected an address such as http://127.0.0.1:8080/hooks.');
};

/** `name=value`; the value may hold further equals signs. */
export const assignment: Parse<[name: string, value: string]> = (text) => {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new InvalidValueError('Expected NAME=VALUE.');
};

/** `Name: value`, as in an HTTP message. */
export const headerLine: Parse<[name: string, value: string]> = (text) => {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new InvalidValueError("Expected 'Name: value'.");
};

/** Path and query of a request, as it goes on the wire: what a URL may not hold is percent-encoded. */
export const requestTarget: Parse<string> = (text) => {
  const url = text.startsWith('/') ? URL.parse(`http://sandbox.invalid${text}`) : null;
  if (!url) {
    throw new InvalidValueError('Expected a path such as /api/partner/v1/orders.');
  }
  const target = url.pathname + url.search;
  try {
    canonicalQuery(splitTarget(target).query);
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error;
    throw new InvalidValueError(`Expected percent escapes of UTF-8, but ${error.message}.`);
  }
  return target;
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const httpMethod = oneOf(METHODS);

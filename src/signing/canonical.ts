import { CodedError } from '../kernel/errors.ts';

/** A query with a percent escape that is malformed or does not decode to UTF-8. */
export class MalformedQueryError extends CodedError {
  constructor(part: string) {
    super('validation_error', `query: malformed percent escape in "${part}"`);
    this.name = 'MalformedQueryError';
  }
}

/** Reads a query. @returns undefined if it is malformed */
export function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedQueryError) return undefined;
    throw error;
  }
}

/** The six values of the canonical string (specification, "Canonical string"). */
export interface CanonicalParts {
  method: string;
  /** Raw path of the request line, as sent. */
  path: string;
  /** Raw query as sent, without `?`; may be empty. */
  query: string;
  timestamp: string;
  nonce: string;
  /** Lower-case hex SHA-256 of the raw body. */
  bodySha256: string;
}

/** Returns the string to sign: six lines joined by `\n`. @throws MalformedQueryError */
export function canonicalString(parts: CanonicalParts): string {
  const query = canonicalQuery(parts.query);
  return `${parts.method.toUpperCase()}\n${parts.path}\n${query}\n${parts.timestamp}\n${parts.nonce}\n${parts.bodySha256}`;
}

/** Returns path and query as `fetch` sends them: percent-encoded, without `..` segments and a fragment. */
export function targetAsSent(target: string): string {
  const { pathname, search } = new URL(`http://sandbox.invalid${target}`);
  return pathname + search;
}

/** Splits `/a?b=c` into path and raw query. `#` is not special: a fragment is never sent. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: '' };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/**
 * Sorts the decoded pairs by key, then value, by code point, and encodes them like URI components and also
 * `! ' ( ) *` (specification, "Canonical query rules"). `+` is a plus sign.
 * @param query raw query as sent, without `?`
 * @throws MalformedQueryError
 */
export function canonicalQuery(query: string): string {
  // One pair of plain characters is canonical as it is.
  if (query === '' || /^[\w.~-]*=[\w.~-]*$/.test(query)) return query;
  const pairs = parseQuery(query).sort(byKeyThenValue);
  return pairs.map(([key, value]) => `${encodeStrict(key)}=${encodeStrict(value)}`).join('&');
}

/** Decodes the pairs of a query in the order sent, without empty segments (`&&`). @throws MalformedQueryError */
export function parseQuery(query: string): [key: string, value: string][] {
  const pairs: [string, string][] = [];
  for (const segment of query.split('&')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    if (equals < 0) pairs.push([decode(segment), '']);
    else pairs.push([decode(segment.slice(0, equals)), decode(segment.slice(equals + 1))]);
  }
  return pairs;
}

/** Percent-encodes everything but letters, digits and `- _ . ~`. */
export function encodeStrict(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MalformedQueryError(text);
  }
}

function byKeyThenValue(a: [string, string], b: [string, string]): number {
  return compareCodePoints(a[0], b[0]) || compareCodePoints(a[1], b[1]);
}

/** UTF-8 bytes sort like code points, unlike UTF-16 units, which `<` compares. */
function compareCodePoints(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

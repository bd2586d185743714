import { diffJson, type JsonDifference } from '../kernel/diff-json.ts';
import { parseShallowJson } from '../kernel/json.ts';
import { splitTarget } from '../signing/canonical.ts';
import { describeOutcome } from './describe-entry.ts';
import type { RequestDetail } from './logged-request.ts';
import type { HeaderList, Message } from './message.ts';
import { type Check, failedStepOf } from './trace.ts';

/** A value that differs between two requests; null where a request lacks it. */
export interface Difference {
  /** `query.q`, `headers.content-type`, `signed.timestamp`, `body.domain`, `checks.signature`, `response.status`. */
  path: string;
  a: unknown;
  b: unknown;
}

export interface ComparisonResult {
  same: boolean;
  /** Why the responses differ; null if they have the same status and code. */
  reason: string | null;
  differences: Difference[];
  /** Values that always differ, such as ids and times, and values that depend on them. */
  volatile: Difference[];
}

/** The lines of a canonical string (specification, "Canonical string"). */
export const CANONICAL_LINES = [
  'method',
  'path',
  'query',
  'timestamp',
  'nonce',
  'body hash',
] as const;

/** Compares two requests part by part, with the checks that they passed and their responses. */
export function compareRequests(a: RequestDetail, b: RequestDetail): ComparisonResult {
  // An error is compared by its code: its message names times and ids, which always differ.
  const withBodies = a.code === null && b.code === null;
  const [partsOfA, partsOfB] = [partsOf(a, withBodies), partsOf(b, withBodies)];
  const { differences, volatile } = diffJson(partsOfA, partsOfB, { isVolatile });
  return {
    same: differences.length === 0,
    reason: reasonOf(a, b, differences, volatile),
    differences: differences.map(toDifference),
    volatile: volatile.map(toDifference),
  };
}

/** Returns the first candidate whose target and body differ from those of a request in the fewest values. */
export function nearestOf(
  detail: RequestDetail,
  candidates: readonly RequestDetail[],
): RequestDetail | undefined {
  const sentOf = ({ target, request }: RequestDetail) => {
    const { path, query } = splitTarget(target);
    return { path, query: queryOf(query), body: bodyOf(request) };
  };
  const sent = sentOf(detail);
  const distances = candidates.map(
    (candidate) => diffJson(sentOf(candidate), sent, { isVolatile }).differences.length,
  );
  return candidates[distances.indexOf(Math.min(...distances))];
}

function toDifference({ path, a = null, b = null }: JsonDifference): Difference {
  return { path, a, b };
}

/** A request as an object whose fields can be compared. @param withBody includes the body of the response */
function partsOf(detail: RequestDetail, withBody: boolean) {
  const { method, target, request, response } = detail;
  const { path, query } = splitTarget(target);
  // What the client signed: not the canonical string, if the diagnosis found another one.
  const signed = detail.signed_string ?? detail.canonical_string;
  return {
    method,
    path,
    query: queryOf(query),
    headers: headersOf(request.headers),
    body: bodyOf(request),
    signed: signed === null ? null : linesOf(signed),
    checks: Object.fromEntries(detail.trace.map(({ check, result }) => [check, result])),
    response: {
      status: detail.status,
      code: detail.code,
      headers: headersOf(response.headers),
      ...(withBody && { body: bodyOf(response) }),
    },
  };
}

/** The parameters by name, spelled as they were sent. */
function queryOf(query: string): Record<string, string | string[]> {
  // At the first `=`; a value may contain others.
  const pairs = query === '' ? [] : query.split('&').map((pair) => pair.split(/=(.*)/s));
  const byName = Map.groupBy(pairs, ([name = '']) => name);
  return Object.fromEntries(
    [...byName].map(([name, sameName]) => {
      const [value = '', ...more] = sameName.map(([, text = '']) => text);
      return [name, more.length > 0 ? [value, ...more] : value];
    }),
  );
}

/** Returns the values of headers by name in lower case, several in one. */
export function headersOf(headers: HeaderList): Record<string, string> {
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase());
  const joined = ([name, pairs]: [string, typeof headers]) =>
    [name, pairs.map(([, value]) => value).join(', ')] as const;
  return Object.fromEntries([...byName].map(joined));
}

function bodyOf({ body }: Message): unknown {
  return body === null ? null : (parseShallowJson(body) ?? body);
}

function linesOf(signed: string): Record<string, string> {
  return Object.fromEntries(
    signed.split('\n').map((line, at) => [CANONICAL_LINES[at] ?? `line ${at + 1}`, line]),
  );
}

/** Values that differ in every request, and values that depend on them. */
const VOLATILE_PATHS =
  /^(?:headers\.(?:traceparent|tracestate)|(?:response\.)?headers\.(?:content-length|date|.*ratelimit.*)|signed\.body hash)$/;
/** Results, and values that the client chooses: differences even if they look like ids or tokens. */
const LASTING_PATHS = /^(?:checks\.|headers\.(?:idempotency-key|x-service-key-id)$|query\.)/;

function isVolatile(path: string, a: unknown, b: unknown): boolean {
  if (VOLATILE_PATHS.test(path)) return true;
  if (LASTING_PATHS.test(path)) return false;
  const kind = kindOf(path, a);
  return kind !== undefined && kind === kindOf(path, b);
}

const ID = /^([a-z]{2,5})_[0-9a-z]{12,}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;
const HEX = /^[0-9a-f]{32,}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Quote ids, cursors and minted secrets: letters of both cases, or two parts of base64url. */
const TOKEN = /^(?=.*[A-Z])(?=.*[a-z])[\w-]{20,}(?:\.[\w-]{20,})?$/;

/** Returns the kind of a value that changes with every request; undefined for other values. */
function kindOf(path: string, text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  // A hash as a nonce, a signature in another format, and seconds instead of milliseconds are differences.
  if (HEX.test(text)) return `hex ${text.length}`;
  if (path.endsWith('.nonce') || path.endsWith('-nonce')) return 'nonce';
  if (path.endsWith('signature')) return text.replaceAll(/[0-9a-f]{8,}/g, 'hex');
  if (path.endsWith('timestamp')) return /^\d+$/.test(text) ? `digits ${text.length}` : undefined;
  const [, prefix] = ID.exec(text) ?? [];
  if (prefix !== undefined) return `id ${prefix}`;
  if (TIME.test(text)) return 'time';
  if (UUID.test(text)) return 'uuid';
  return TOKEN.test(text) ? 'token' : undefined;
}

/** Names the check that rejected one of the requests, and what the client sent differently. */
function reasonOf(
  a: RequestDetail,
  b: RequestDetail,
  differences: readonly JsonDifference[],
  volatile: readonly JsonDifference[],
): string | null {
  if (a.status === b.status && a.code === b.code) return null;
  const [name, rejected] = failedStepOf(b.trace) ? ['B', b] : ['A', a];
  const failed = failedStepOf(rejected.trace);
  if (!failed) return `A got ${describeOutcome(a)}, B got ${describeOutcome(b)}.`;
  const why = String(failed.detail.summary ?? failed.detail.message ?? describeOutcome(rejected));
  const rejection = `${name} failed the check ${failed.check.replaceAll('_', ' ')}: ${why.replace(/\.$/, '')}.`;
  const sent = differences.filter(({ path }) => !/^(?:checks|response)\b/.test(path));
  // A line explains a wrong signature only if the diagnosis found what the client signed.
  const isUnexplained = failed.check === 'signature' && rejected.signed_string === null;
  const isCause = (path: string) => !isUnexplained && isRelated(path, failed.check, why);
  const related = sent.find(({ path }) => isCause(path));
  if (related) return `${rejection} ${describeDifference(related)}`;
  // What always differs can be the cause too: a quote id, a timestamp.
  const hasCause = volatile.some(({ path }) => /^body\b/.test(path) || isCause(path));
  if (sent.length > 0 || hasCause) return rejection;
  const sameBytes = volatile.every(({ path }) => path !== 'signed.body hash');
  return `${rejection} ${sameBytes ? 'Both sent the same' : 'Only the bytes of the body differ'}.`;
}

const KEY_ID = /key-id$/;

/** Paths of the values that a check reads, if not the path, query and body. */
const PATHS_OF_CHECK: Partial<Record<Check, RegExp>> = {
  headers: /^headers\./,
  timestamp: /timestamp$/,
  nonce: /nonce$/,
  key: KEY_ID,
  scope: KEY_ID,
  affiliate: KEY_ID,
  approval: KEY_ID,
  rate_limit: KEY_ID,
  signature: /^signed\./,
  route: /^(?:method|path)$/,
  idempotency: /idempotency-key$|^body\b/,
};

function isRelated(path: string, check: Check, message: string): boolean {
  // A message about a field begins with its name; one about the whole, with `body` or `query`.
  const [, field] = /^(?!(?:body|query):)([\w.]+):/.exec(message) ?? [];
  if (field !== undefined) return path === `body.${field}` || path === `query.${field}`;
  if (message.includes('Content-Type')) return /^(?:headers\.content-type|body)\b/.test(path);
  return (PATHS_OF_CHECK[check] ?? /^(?:path|query|body)\b/).test(path);
}

function describeDifference({ path, a, b }: JsonDifference): string {
  const [inA, inB] = [JSON.stringify(a), JSON.stringify(b)];
  if (b === undefined) return `B has no ${path}; in A it is ${inA}.`;
  if (a === undefined) return `A has no ${path}; in B it is ${inB}.`;
  return `${path} is ${inA} in A, ${inB} in B.`;
}

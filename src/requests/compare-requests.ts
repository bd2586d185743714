import { diffJson, type JsonDifference } from '../kernel/diff-json.ts';
import { splitTarget } from '../signing/canonical.ts';
import { describeOutcome } from './describe.ts';
import type { RequestDetail } from './logged-request.ts';
import type { HeaderList, Message } from './message.ts';
import type { Check } from './trace.ts';

/** A value that two objects do not have in common; null where one has none. */
export interface Difference {
  /** `query.q`, `headers.content-type`, `signed.timestamp`, `body.domain`, `checks.signature.result`, `response.status`. */
  path: string;
  a: unknown;
  b: unknown;
}

export interface Compared {
  same: boolean;
  /** Why the responses differ; null if they have the same status and code. */
  reason: string | null;
  differences: Difference[];
  /** Ids, times and so on that differ, as they always do, and what follows from them. */
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
export function compareRequests(a: RequestDetail, b: RequestDetail): Compared {
  const { differences, volatile } = diffJson(partsOf(a), partsOf(b), { isVolatile });
  // A body that one of them has not is not compared with the error in its place.
  const isRejected = a.code !== null || b.code !== null;
  const found = differences
    .filter(({ path }) => !(isRejected && path === 'response.body'))
    .map(shown);
  return {
    same: found.length === 0,
    reason: reasonOf(a, b, found),
    differences: found,
    volatile: volatile.map(shown),
  };
}

/** Returns the request whose target and body differ from those of another one in the fewest values. */
export function nearestOf(
  wanted: RequestDetail,
  others: readonly RequestDetail[],
): RequestDetail | undefined {
  const sentOf = ({ target, request }: RequestDetail) => {
    const { path, query } = splitTarget(target);
    return { path, query: queryOf(query), body: bodyOf(request) };
  };
  const sent = sentOf(wanted);
  const distances = others.map(
    (each) => diffJson(sentOf(each), sent, { isVolatile }).differences.length,
  );
  return others[distances.indexOf(Math.min(...distances))];
}

export function shown({ path, a = null, b = null }: JsonDifference): Difference {
  return { path, a, b };
}

/** A request as an object whose fields can be compared. The response to a rejected request is its status and code. */
function partsOf({ method, target, request, response, trace, ...shown }: RequestDetail) {
  const { path, query } = splitTarget(target);
  const signed = shown.signed_string ?? shown.canonical_string;
  return {
    method,
    path,
    query: queryOf(query),
    headers: headersOf(request.headers),
    body: bodyOf(request),
    signed: signed === null ? null : linesOf(signed),
    checks: Object.fromEntries(trace.map(({ check, result }) => [check, result])),
    response: {
      status: shown.status,
      code: shown.code,
      headers: headersOf(response.headers),
      ...(shown.code === null && { body: bodyOf(response) }),
    },
  };
}

/** The parameters by name, spelled as they were sent. */
function queryOf(query: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null);
  for (const pair of query === '' ? [] : query.split('&')) {
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const value = equals < 0 ? '' : pair.slice(equals + 1);
    const known = parameters[name];
    parameters[name] = known === undefined ? value : [known, value].flat();
  }
  return parameters;
}

function headersOf(headers: HeaderList): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    values[name] = values[name] === undefined ? value : `${values[name]}, ${value}`;
  }
  return values;
}

function bodyOf({ body }: Message): unknown {
  if (body === null) return null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function linesOf(signed: string): Record<string, string> {
  return Object.fromEntries(
    signed.split('\n').map((line, at) => [CANONICAL_LINES[at] ?? `line ${at + 1}`, line]),
  );
}

/** What another request has always, and what follows from it. */
const FOLLOWS =
  /^(?:headers\.(?:traceparent|tracestate)|(?:response\.)?headers\.(?:content-length|date|.*ratelimit.*)|signed\.body hash)$/;
/** What a client chooses is a difference, also if it looks like an id or a token. */
const CHOSEN = /^(?:headers\.(?:idempotency-key|x-service-key-id)|query\.)/;

function isVolatile(path: string, a: unknown, b: unknown): boolean {
  if (FOLLOWS.test(path)) return true;
  if (CHOSEN.test(path)) return false;
  const kind = kindOf(path, a);
  return kind !== undefined && kind === kindOf(path, b);
}

const ID = /^([a-z]{2,5})_[0-9a-z]{12,}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;
const HEX = /^[0-9a-f]{32,}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Quote ids, cursors and minted secrets: letters of both cases, or two parts of base64url. */
const TOKEN = /^(?=.*[A-Z])(?=.*[a-z])[\w-]{20,}(?:\.[\w-]{20,})?$/;

/** What kind of changing value a text is; undefined for others. */
function kindOf(path: string, value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  if (path.endsWith('.nonce') || path.endsWith('-nonce')) return 'nonce';
  // A signature of another form, and seconds beside milliseconds, are differences.
  if (path.endsWith('signature')) return text.replaceAll(/[0-9a-f]{8,}/g, 'hex');
  if (path.endsWith('timestamp')) return /^\d+$/.test(text) ? `digits ${text.length}` : undefined;
  if (typeof value === 'number') return undefined;
  const [, prefix] = ID.exec(text) ?? [];
  if (prefix !== undefined) return `id ${prefix}`;
  if (TIME.test(text)) return 'time';
  if (HEX.test(text)) return `hex ${text.length}`;
  if (UUID.test(text)) return 'uuid';
  return TOKEN.test(text) ? 'token' : undefined;
}

/** Names the check that rejected one of them, and what a client sent differently. */
function reasonOf(
  a: RequestDetail,
  b: RequestDetail,
  differences: readonly Difference[],
): string | null {
  if (a.status === b.status && a.code === b.code) return null;
  const name = failureOf(b) ? 'B' : 'A';
  const failed = failureOf(b) ?? failureOf(a);
  if (!failed) return `A got ${describeOutcome(a)}, B got ${describeOutcome(b)}.`;
  const { summary, message } = failed.detail;
  const why = String(typeof summary === 'string' ? summary : message);
  const rejection = `${name} failed the check ${failed.check.replaceAll('_', ' ')}: ${why.replace(/\.$/, '')}.`;
  const sent = differences.filter(({ path }) => !/^(?:checks|response)\b/.test(path));
  if (sent.length === 0) return `${rejection} Both sent the same.`;
  const related = sent.find(({ path }) => isRelated(path, failed.check, why));
  return related ? `${rejection} ${describeDifference(related)}` : rejection;
}

function failureOf({ trace }: RequestDetail) {
  return trace.find(({ result }) => result === 'failed');
}

const KEY = /key-id$/;
const INPUT = /^(?:path|query|body)\b/;

/** What a check reads of a request; a message about a field begins with its name. */
const READS: Partial<Record<Check, RegExp>> = {
  body: INPUT,
  headers: /^headers\./,
  timestamp: /timestamp$/,
  nonce: /nonce$/,
  key: KEY,
  scope: KEY,
  affiliate: KEY,
  approval: KEY,
  signature: /^signed\./,
  route: /^(?:method|path)$/,
  magic_domain: INPUT,
  fault: INPUT,
  idempotency: /idempotency-key$/,
  validation: INPUT,
  rules: INPUT,
  transition: INPUT,
};

function isRelated(path: string, check: Check, message: string): boolean {
  const [, field] = /^([\w.]+):/.exec(message) ?? [];
  if (field !== undefined) return path === `body.${field}` || path === `query.${field}`;
  return READS[check]?.test(path) ?? false;
}

function describeDifference({ path, a, b }: Difference): string {
  const [inA, inB] = [JSON.stringify(a), JSON.stringify(b)];
  if (b === null) return `B has no ${path}; in A it is ${inA}.`;
  if (a === null) return `A has no ${path}; in B it is ${inB}.`;
  const unit = path.endsWith('timestamp') && /^\d{13}$/.test(String(b)) ? ', in milliseconds' : '';
  return `${path} is ${inA} in A, ${inB} in B${unit}.`;
}

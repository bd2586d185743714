import { ENDPOINTS } from '../../api/index.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/json.ts';
import { shortTarget } from '../../requests/describe-entry.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { Attempt } from '../../requests/log-file.ts';
import { headerOf } from '../../requests/logged-request.ts';
import { type Check, type Detail, failedStepOf, type TraceStep } from '../../requests/trace.ts';
import { splitTarget } from '../../signing/canonical.ts';

/** The description of a request or a webhook attempt in the report. */
export interface Evidence {
  kind: 'request' | 'delivery';
  id: string;
  /** Sandbox time, Unix ms. */
  at: number;
  /** A sentence that can be understood without context. */
  text: string;
}

/** A webhook attempt whose outcome is committed. */
export type AttemptActivity = Omit<Attempt, 'partnerId' | 'environment'> & { kind: 'attempt' };

/** A request of an integration, the view of a hosted page, or the call that stores a receiver test. */
export interface RequestActivity extends ReturnType<typeof requestOf> {
  /** The last identical request (`identityOf`), if it had ended when this one began. `Observer` sets it. */
  previous?: RequestActivity;
}

/** What an integration does, for rules. */
export type Activity = RequestActivity | AttemptActivity;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Begins with a verb, so that it is neither `request` nor `attempt`, of which there are rules too. */
export type Operation = `${'get' | 'post' | 'put' | 'search' | 'show'}${string}`;

/** The endpoint of the tool `receiver-tests` that stores the result of `webhooks test`. */
export const RECEIVER_TEST = '/_sandbox/golive/receiver-test';

/** The `operationId` of each endpoint of the partner API, and names of other requests that rules read. */
const OPERATIONS = new Map<string, Operation>([
  ...ENDPOINTS.map(({ method, path, name }) => [`${method} ${path}`, name as Operation] as const),
  ['GET /checkout', 'showCheckout'],
  [`POST ${RECEIVER_TEST}`, 'postReceiverTest'],
]);

export function requestOf(entry: RequestLogEntry, userAgent: string | undefined) {
  const { method, request, trace, startedMs, code, status } = entry;
  const { path, query } = splitTarget(entry.target);
  const endpoint = entry.api === 'page' ? path : entry.endpoint;
  const isWrite = method !== 'GET' && method !== 'HEAD';
  const truncateAt = Number(stepDetail(trace, 'fault')?.truncate ?? entry.response.bytes);
  const complete = status !== null && truncateAt >= entry.response.bytes;
  const failedCheck = failedStepOf(trace)?.check;
  const retryAfter = headerOf(entry.response.headers, 'retry-after');
  const idempotency = text(stepDetail(trace, 'idempotency')?.outcome);
  // Only the first transition of an order has no `from`.
  const orderStep = trace.find(({ check, detail }) => check === 'transition' && !detail?.from);
  return {
    kind: 'request' as const,
    api: entry.api,
    id: entry.requestId,
    /** On the monotonic clock, ms. */
    startedAt: startedMs,
    endedAt: startedMs + entry.durationUs / 1_000,
    /** Sandbox time, Unix ms. */
    at: entry.at,
    /** Rules relate only requests of the same client. */
    client: `${entry.keyId ?? ''} ${userAgent ?? ''}`,
    /** Undefined if there is no such endpoint. */
    operation: OPERATIONS.get(`${method === 'HEAD' ? 'GET' : method} ${endpoint}`),
    method,
    path,
    /** As sent. */
    query,
    bodySha256: isWrite ? (entry.bodySha256 ?? '') : '',
    /** Whether it passed all checks up to and including `scope`; never for a page or a receiver test. */
    admitted: trace.some(({ check, result }) => check === 'scope' && result === 'passed'),
    /** 0 if the connection was closed before a response. */
    status: status ?? 0,
    /** Whether a response was sent, and not truncated by a fault. */
    complete,
    code: (code ?? undefined) as ErrorCode | undefined,
    failedCheck,
    injectedBy: injectorOf(trace, complete, failedCheck),
    retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
    idempotencyKey: isWrite ? headerOf(request.headers, 'idempotency-key') : undefined,
    /** `new`, `replayed` or `other_body`. */
    idempotency,
    /** The diagnosis of an invalid signature. */
    mistake: text(stepDetail(trace, 'signature')?.mistake),
    recordedOrder: idempotency === 'new' ? text(orderStep?.detail?.order_id) : undefined,
    hasNonAsciiBody:
      isWrite && (request.encoding === 'base64' || /[^\0-\x7f]/.test(request.body ?? '')),
    /** About unknown parameters and fields. */
    warnings: entry.warnings.filter((warning) => IGNORED_INPUT.test(warning)),
    hasSecret: entry.sentSecret,
    /** Parsed bodies, undefined once all rules have read the request: a rule must keep what it needs later. */
    input: isWrite ? parseObject(request.body) : undefined,
    response: code === null ? parseObject(entry.response.body) : undefined,
  };
}

/** Does not match warnings about aliases, and about a body that the endpoint does not read. */
const IGNORED_INPUT = / is not a (?:parameter|field) of this endpoint and was ignored/;

/** Returns what caused the error of a request, or closed its connection: the ID of a fault, or `magic: ` and behaviors. */
function injectorOf(
  trace: readonly TraceStep[],
  complete: boolean,
  failedCheck: Check | undefined,
): string | undefined {
  const fault = stepDetail(trace, 'fault');
  const isClosed = !complete && (fault?.drop ?? fault?.truncate) !== undefined;
  const id = text(fault?.fault_id);
  if (id !== undefined && (failedCheck === 'fault' || isClosed)) return id;
  const magic = stepDetail(trace, 'magic_domain');
  const mayBeMagic = !complete || failedCheck === 'magic_domain' || failedCheck === 'rules';
  return magic && mayBeMagic ? `magic: ${magic.behaviors}` : undefined;
}

function stepDetail(trace: readonly TraceStep[], check: Check): Detail | undefined {
  return trace.find((step) => step.check === check)?.detail;
}

export function parseObject(body: string | null): JsonObject | undefined {
  if (!body || !/^\s*\{/.test(body)) return undefined;
  // The log has only the start of a long response: a list ends after its last complete row.
  const json = parseJson(body) ?? parseJson(`${body.slice(0, body.lastIndexOf('},{') + 1)}]}`);
  return json as JsonObject | undefined;
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the same text for identical requests, of which the Idempotency-Key is a part. */
export function identityOf(request: RequestActivity): string {
  const { client, method, path, query, bodySha256, idempotencyKey = '' } = request;
  return `${client} ${method} ${path}?${query} ${bodySha256} ${idempotencyKey}`;
}

/** Whether a request began after an earlier one had ended. */
export function isAfter(earlier: RequestActivity, later: RequestActivity): boolean {
  return later.startedAt >= earlier.endedAt;
}

export function isAccepted({ admitted, complete, status }: RequestActivity): boolean {
  return admitted && complete && status >= 200 && status < 300;
}

export function isAcknowledged({ isForged, outcome }: AttemptActivity): boolean {
  return !isForged && outcome === 'ok';
}

/** Returns the cursor of the next page, null if there is none, or undefined if the log lacks that part of the response. */
export function nextCursorOf({ response }: RequestActivity): string | null | undefined {
  const isWhole = response === undefined || Object.hasOwn(response, 'next_cursor');
  return isWhole ? (text(response?.next_cursor) ?? null) : undefined;
}

export function rows(body: JsonObject | undefined, name: string): JsonObject[] {
  const list = body?.[name];
  return Array.isArray(list) ? list.filter((row) => typeof row === 'object' && row) : [];
}

/** Describes a request or an attempt. @param notes are added to the text */
export function evidenceOf(activity: Activity, ...notes: string[]): Evidence {
  const { kind, id, at } = activity;
  if (kind === 'request') return { kind, id, at, text: describeRequest(activity, notes) };
  const { type, event, status, outcome, isForged } = activity;
  const text = `${type} ${event} → ${[status ?? outcome, ...notes].join(', ')}`;
  return { kind: 'delivery', id, at, text: isForged ? `forged ${text}` : text };
}

/** Returns `POST /orders → 409 conflict, key 5f0c…`. @param notes are added after the outcome */
function describeRequest(request: RequestActivity, notes: readonly string[]): string {
  const { method, path, query, status, code, complete, recordedOrder, idempotencyKey } = request;
  const target = shortTarget({ api: request.api, target: path });
  const parts = [
    complete ? `${status}${code ? ` ${code}` : ''}` : 'connection closed',
    !complete && recordedOrder && `order ${recordedOrder} recorded`,
    ...notes,
    idempotencyKey && `key ${idempotencyKey}`,
    query && `query ${query}`,
  ];
  return `${method} ${target} → ${parts.filter(Boolean).join(', ')}`;
}

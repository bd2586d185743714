import { ENDPOINTS } from '../../api/index.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/json.ts';
import { SECOND } from '../../kernel/time.ts';
import { endOf, type RequestLogEntry } from '../../requests/log-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { Detail, Step } from '../../requests/trace.ts';
import { splitTarget } from '../../signing/canonical.ts';

const OPERATIONS = new Map(ENDPOINTS.map(({ method, path, name }) => [`${method} ${path}`, name]));

/** A request of an integration, for rules. */
export type RequestActivity = ReturnType<typeof requestOf>;

export function requestOf(entry: RequestLogEntry, userAgent: string | undefined) {
  const { method, request, trace, startedMs, code, status } = entry;
  const { path, query } = splitTarget(entry.target);
  const isWrite = method !== 'GET' && method !== 'HEAD';
  const truncateAt = Number(detailOf(trace, 'fault')?.truncate ?? entry.response.bytes);
  const complete = status !== null && truncateAt >= entry.response.bytes;
  const failedCheck = trace.find(({ result }) => result === 'failed')?.check;
  const timestamp = headerOf(request.headers, 'x-service-timestamp');
  const retryAfter = headerOf(entry.responseHeaders, 'retry-after');
  const idempotency = text(detailOf(trace, 'idempotency')?.outcome);
  const orderStep = trace.find(({ check, detail }) => check === 'transition' && !detail?.from);
  return {
    kind: 'request' as const,
    id: entry.requestId,
    /** On the monotonic clock, ms. */
    startedAt: startedMs,
    endedAt: startedMs + entry.durationUs / 1_000,
    /** When it ended, real time, Unix ms. */
    at: endOf(entry),
    client: clientOf(entry.keyId ?? '', userAgent),
    /** The `operationId` of its endpoint; undefined if there is none. */
    operation: OPERATIONS.get(`${method === 'HEAD' ? 'GET' : method} ${entry.endpoint}`),
    method,
    path,
    /** As sent. */
    query,
    bodySha256: isWrite ? (entry.bodySha256 ?? '') : '',
    /** Whether it passed all checks up to and including `scope`. */
    admitted: trace.some(({ check, result }) => check === 'scope' && result === 'passed'),
    /** The status of its response, even if the connection was closed before or while it was sent. */
    status: status ?? 0,
    complete,
    code: (code ?? undefined) as ErrorCode | undefined,
    failedCheck,
    injectedBy: injectorOf(trace, { complete, failedCheck }),
    retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
    idempotencyKey: isWrite ? headerOf(request.headers, 'idempotency-key') : undefined,
    /** `new`, `replayed` or `other_body`. */
    idempotency,
    /** How far its timestamp was from the real time, in ms. */
    timestampOffsetMs:
      timestamp === undefined
        ? undefined
        : Number(timestamp) * SECOND - Math.floor(entry.receivedAt / SECOND) * SECOND,
    /** The diagnosis of an invalid signature. */
    mistake: text(detailOf(trace, 'signature')?.mistake),
    recordedOrder: idempotency === 'new' ? text(orderStep?.detail?.order_id) : undefined,
    hasNonAsciiBody:
      isWrite && (request.encoding === 'base64' || /[^\0-\x7f]/.test(request.body ?? '')),
    /** About unknown parameters and fields. */
    warnings: entry.warnings.filter((warning) => IGNORED_INPUT.test(warning)),
    hasSecret: entry.sentSecret ?? false,
    /** Parsed bodies, which are removed after the rules have read the request. */
    input: isWrite ? parseObject(request.body) : undefined,
    response: code === null ? parseObject(entry.response.body) : undefined,
  };
}

/** Does not match warnings about aliases, and about a body that the endpoint does not read. */
const IGNORED_INPUT = / is not a (?:parameter|field) of this \w+ and was ignored/;

/** The fault rule or magic domain that caused the error of a request, or closed its connection. */
interface Injector {
  kind: 'fault' | 'magic_domain';
  id: string;
}

function injectorOf(
  trace: readonly Step[],
  { complete, failedCheck }: { complete: boolean; failedCheck: string | undefined },
): Injector | undefined {
  const fault = detailOf(trace, 'fault');
  const isClosed = !complete && (fault?.drop ?? fault?.truncate) !== undefined;
  const id = text(fault?.fault_id);
  if (id !== undefined && (failedCheck === 'fault' || isClosed)) return { kind: 'fault', id };
  const magic = detailOf(trace, 'magic_domain');
  if (!magic || (failedCheck === undefined && complete)) return undefined;
  return { kind: 'magic_domain', id: String(magic.behaviors) };
}

export function detailOf(trace: readonly Step[], check: Step['check']): Detail | undefined {
  return trace.find((step) => step.check === check)?.detail;
}

export function parseObject(body: string | null): Readonly<Record<string, unknown>> | undefined {
  if (!body?.startsWith('{')) return undefined;
  const json = parseJson(body) ?? parseJson(wholeRowsOf(body));
  return json as Readonly<Record<string, unknown>> | undefined;
}

/** Closes a list after its last complete row, because the log has only the start of a long response. */
function wholeRowsOf(body: string): string {
  return `${body.slice(0, body.lastIndexOf('},{') + 1)}]}`;
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Identifies a client. Rules relate only requests of the same client. */
export function clientOf(keyId: string, userAgent: string | undefined): string {
  return `${keyId} ${userAgent ?? ''}`;
}

import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../kernel/errors.ts';
import { countedPage, type Fields, type Output, resource } from '../kernel/resource.ts';
import { canonicalString, splitTarget, unlessMalformed } from '../signing/canonical.ts';
import { EMPTY_BODY_SHA256 } from '../signing/signature.ts';
import { ENVIRONMENTS, type Environment } from '../store/schema/enums.ts';
import { describeOutcome, shortTarget, toneOfResponse } from './describe-entry.ts';
import type { EntryColumns, RequestLogEntry } from './log-entry.ts';
import { APIS, type HeaderList, type Message } from './message.ts';
import { CHECKS, failedStepOf, RESULTS, type TraceStep } from './trace.ts';

/** An entry with the domain and the order that it is about, and the fault that acted. */
type ListedEntry = RequestLogEntry & Record<'domain' | 'order' | 'fault', string | null>;

/** With the name of its partner. */
type DetailEntry = ListedEntry & { partner: string | null };

/** A log entry in a list. */
export const loggedRequest = resource(
  'Request',
  'A logged call of the partner API or the control API, or a view of a hosted page. `status` is null if the connection was closed without a response.',
  ({ id, oneOf, time, number, text, count, listOfText }: Fields<ListedEntry>) => ({
    request_id: id('req'),
    api: oneOf(APIS),
    at: time(),
    received_at: time(),
    duration_ms: number(() => z.number().min(0)).from(({ durationUs }) => durationUs / 1_000),
    key_id: text().nullable(),
    partner_id: id('ptr').nullable(),
    // In an entry from a repro file, this and `code` can be any text.
    environment: oneOf(ENVIRONMENTS)
      .nullable()
      .from((entry) => entry.environment as Environment | null),
    method: text(),
    target: text(),
    endpoint: text().nullable(),
    status: count().nullable(),
    code: oneOf(ERROR_CODES)
      .nullable()
      .from((entry) => entry.code as ErrorCode | null),
    message: text().nullable().from(messageOfFailure),
    domain: text().nullable(),
    order: id('ord').nullable(),
    fault: text().nullable(),
    warnings: listOfText(),
  }),
).display(
  {
    request_id: 'Request',
    at: 'Sandbox time',
    response: ['Response', responseOf, 'status', toneOfResponse],
    duration_ms: ['ms', (item) => item.duration_ms.toFixed(1), 'count'],
    api: ['API', ({ api }) => (api === 'partner' ? null : api), 'status'],
    what: ['Call', (item) => `${item.method} ${shortTarget(item)}`],
    about: ['About', (item) => item.domain ?? item.order],
  },
  ['request_id', 'response', 'what', 'about', 'api', 'at', 'duration_ms'],
);
export type LoggedRequest = Output<typeof loggedRequest>;
export const requestPage = countedPage(loggedRequest, 'RequestPage', 'requests');

const message = resource(
  'Message',
  'What was sent, without secrets; of a hosted page, its text. `altered` is null if the body is complete and unchanged.',
  ({ value, text, count, oneOf }: Fields<Message>) => ({
    // Not a tuple, which OpenAPI tools read differently.
    headers: value(
      () => z.array(z.array(z.string()).length(2)) as unknown as z.ZodType<HeaderList>,
    ),
    body: text().nullable(),
    bytes: count(),
    encoding: oneOf(['utf8', 'base64']),
    altered: oneOf(['truncated', 'redacted']).nullable(),
  }),
);

const traceStep = resource(
  'TraceStep',
  'A check that passed or failed, or a change that was made.',
  ({ oneOf, value }: Fields<TraceStep>) => ({
    check: oneOf(CHECKS),
    result: oneOf(RESULTS),
    detail: value(() => z.record(z.string(), z.unknown())).from(({ detail = {} }) => detail),
  }),
);

export const requestDetail = loggedRequest.extend(
  'RequestDetail',
  'A request with its headers, bodies, decision trace, response and canonical string.',
  ({ object, list, text }: Fields<DetailEntry>) => ({
    partner: text().nullable(),
    request: object(message),
    response: object(message),
    trace: list(traceStep),
    canonical_string: text().nullable().from(canonicalStringOf),
    signed_string: text().nullable(),
  }),
);
export type RequestDetail = Output<typeof requestDetail>;

/** Marks a response that was made by a fault, and one to a request with ignored input. */
function responseOf(
  item: Pick<EntryColumns, 'status' | 'code'> & {
    fault: string | null;
    warnings: readonly string[];
  },
): string {
  const fault = item.fault === null ? '' : ' (fault)';
  const warning = item.warnings.length === 0 ? '' : ' (warning)';
  return `${describeOutcome(item)}${fault}${warning}`;
}

/** The message of the check that failed. */
function messageOfFailure({ trace }: RequestLogEntry): string | null {
  const message = failedStepOf(trace)?.detail?.message;
  return typeof message === 'string' ? message : null;
}

/** Returns the string that the signature must sign; null if it cannot be built from the request. */
function canonicalStringOf(entry: RequestLogEntry) {
  const { api, method, target, request, bodySha256, bodyRejection } = entry;
  const timestamp = headerOf(request.headers, 'x-service-timestamp');
  const nonce = headerOf(request.headers, 'x-service-nonce');
  if (api !== 'partner' || !timestamp || !nonce || bodyRejection) return null;
  const parts = { method, ...splitTarget(target), timestamp, nonce };
  const hash = bodySha256 ?? EMPTY_BODY_SHA256;
  return unlessMalformed(() => canonicalString({ ...parts, bodySha256: hash })) ?? null;
}

/** @param name in lower case */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  return headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1];
}

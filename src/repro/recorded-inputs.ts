import {
  type RecordedInput,
  type RecordedRequest,
  type RecordedResponse,
  type RecordedStep,
  recordedStep,
} from '../requests/recording.ts';
import type { Check } from '../requests/trace.ts';
import type { SendResult } from '../webhooks/send.ts';
import {
  bodyOf,
  bytesOf,
  type ReproInput,
  type ReproRequest,
  type ReproResponse,
  type ReproResult,
  type ReproStep,
} from './format.ts';

/** Returns an input as a file has it. */
export function toReproInput(input: RecordedInput): ReproInput {
  return input.kind === 'request' ? toReproRequest(input) : toReproStep(input);
}

/** Returns an input of a file as the driver replays it. */
export function fromReproInput(input: ReproInput): RecordedInput {
  return input.kind === 'request' ? fromReproRequest(input) : fromReproStep(input);
}

function toReproRequest(request: RecordedRequest): ReproRequest {
  const { n, at, api, method, target, headers, body } = request;
  return {
    kind: 'request',
    n,
    at,
    request_id: request.requestId,
    api,
    method,
    target,
    headers: headers.map(([name, value]) => [name, value]),
    body: body.length === 0 ? null : bodyOf(body),
    body_result: request.bodyResult as ReproRequest['body_result'],
    signature_result: request.signatureResult as ReproRequest['signature_result'],
    ...(request.response && { response: toReproResponse(request.response) }),
    failed_check: request.failedCheck,
  };
}

export function toReproResponse(response: RecordedResponse | 'closed'): ReproResponse {
  if (response === 'closed') return { closed: true };
  const { status, headers, body, whole } = response;
  return {
    status,
    headers: headers.map(([name, value]) => [name, value]),
    body: whole ?? { text: body },
  };
}

function fromReproRequest(request: ReproRequest): RecordedRequest {
  const { n, at, api, method, target, headers, body } = request;
  return {
    kind: 'request',
    n,
    at,
    requestId: request.request_id,
    api,
    method,
    target,
    headers,
    body: bytesOf(body),
    bodyResult: request.body_result,
    signatureResult: request.signature_result,
    response: request.response ? fromReproResponse(request.response) : null,
    failedCheck: (request.failed_check ?? null) as Check | null,
  };
}

function fromReproResponse(response: ReproResponse): RecordedResponse | 'closed' {
  if ('closed' in response) return 'closed';
  const { status, headers, body } = response;
  const isLong = 'bytes' in body;
  return {
    status,
    headers,
    body: isLong ? '' : bytesOf(body).toString(),
    whole: isLong ? body : null,
  };
}

function toReproStep({ n, at, label, of, delivery, body, result }: RecordedStep): ReproStep {
  return { kind: 'step', n, at, label, of, delivery, body, result: toReproResult(result) };
}

function toReproResult(result: unknown): ReproResult | null {
  if (typeof result !== 'object' || result === null) return null;
  if ('id_series' in result) return { id_series: Number(result.id_series) };
  const { outcome, httpStatus, durationMs, response } = result as SendResult;
  return { outcome, http_status: httpStatus, duration_ms: durationMs, response };
}

function fromReproStep({ n, result, ...step }: ReproStep): RecordedStep {
  return recordedStep(n, { ...step, result: result ? fromReproResult(result) : null });
}

function fromReproResult(result: ReproResult): unknown {
  if ('id_series' in result) return result;
  const { outcome, http_status, duration_ms, response } = result;
  return { outcome, httpStatus: http_status, durationMs: duration_ms, response };
}

import type { ControlClient } from '../../client/control-client.ts';
import { validationError } from '../../kernel/errors.ts';
import { describeOutcome, describeSteps } from '../../requests/describe.ts';
import type { RequestDetail } from '../../requests/logged-request.ts';
import type { Args } from './action.ts';
import { canonicalProblems } from './canonical-problems.ts';

/** Returns the checks of a request and their results, without headers and bodies. */
export async function explainRequest({ id }: Args, control: ControlClient) {
  const request = await requestOf(control, id);
  const { request_id, code, at, method, target, warnings } = request;
  return {
    request_id,
    at,
    request: `${method} ${target}`,
    response: describeOutcome(request),
    code,
    steps: describeSteps(request).map(({ check, result, text }) => ({ check, result, text })),
    warnings,
  };
}

/**
 * Compares the canonical string of a request with what its client signed: with `canonical`, or else with what the
 * diagnosis found. Without a request, compares `canonical` with the rules.
 */
export async function explainSignature({ id, canonical }: Args, control: ControlClient) {
  if (id === undefined && typeof canonical !== 'string') {
    throw validationError('id: pass id, or canonical as text, or both');
  }
  const request = id === undefined ? undefined : await requestOf(control, id);
  const signed = typeof canonical === 'string' ? canonical : (request?.signed_string ?? null);
  return {
    response: request ? describeOutcome(request) : null,
    message: request?.message ?? null,
    expected: request?.canonical_string ?? null,
    signed,
    problems: signed === null ? [] : canonicalProblems(signed, request?.canonical_string),
  };
}

function requestOf(control: ControlClient, id: unknown): Promise<RequestDetail> {
  return control.get(`/requests/${encodeURIComponent(String(id))}`);
}

import { compareResponses, compareTexts } from './compare.ts';
import { shortened } from './format.ts';
import { ignoredOf } from './ignored.ts';
import { comparePlaces, placesOf } from './places.ts';
import type { InputRecord, RequestRecord, ResponseRecord } from './recording/recording.ts';
import type { Difference } from './result.ts';

export interface ResponseOutput {
  request: Pick<RequestRecord, 'api' | 'method' | 'target'>;
  response: ResponseRecord;
  failedCheck: string | null;
}

/** The outputs of a world, by the place of the request, or of the act `outcome`. */
export interface Outputs {
  responses: Map<string, ResponseOutput>;
  /** Webhook bodies. */
  sent: Map<string, string>;
}

export interface Divergence {
  /** Place of the input. */
  input: string;
  differences: Difference[];
}

export function noOutputs(): Outputs {
  return { responses: new Map(), sent: new Map() };
}

/** Adds what one act or read led to. */
export function addOutputs(
  outputs: Outputs,
  made: { place: string; responses: Outputs['responses']; sent: string | undefined },
): void {
  for (const [place, output] of made.responses) outputs.responses.set(place, output);
  if (made.sent !== undefined) outputs.sent.set(made.place, made.sent);
}

/** The outputs in a file or a recording. */
export function outputsOf(inputs: readonly InputRecord[]): Outputs {
  const outputs = noOutputs();
  const places = placesOf(inputs);
  for (const input of inputs) {
    const place = places.get(input) ?? '';
    if (input.kind === 'act') {
      if (input.params?.body !== undefined) outputs.sent.set(place, input.params.body);
    } else if (input.response) {
      const { response, failed_check: failedCheck = null } = input;
      outputs.responses.set(place, { request: input, response, failedCheck });
    }
  }
  return outputs;
}

/** Returns the inputs with these outputs instead of theirs. A response that was not recorded in time stays out. */
export function withOutputs(inputs: readonly InputRecord[], outputs: Outputs): InputRecord[] {
  const places = placesOf(inputs);
  return inputs.map((input) => {
    const place = places.get(input) ?? '';
    if (input.kind === 'act') {
      const { params } = input;
      if (params?.body === undefined) return input;
      return { ...input, params: { ...params, body: outputs.sent.get(place) ?? params.body } };
    }
    const { response, ...request } = input;
    const output = response && outputs.responses.get(place);
    if (!output) return request;
    return {
      ...request,
      response: shortened(output.response),
      failed_check: output.failedCheck,
    };
  });
}

/** Changes all texts of outputs. A long body, of which only the digest is known, stays. */
export function mapOutputs({ responses, sent }: Outputs, text: (text: string) => string): Outputs {
  return {
    responses: new Map(
      [...responses].map(([n, output]) => [
        n,
        { ...output, response: mapResponse(output.response, text) },
      ]),
    ),
    sent: new Map([...sent].map(([n, body]) => [n, text(body)])),
  };
}

function mapResponse(response: ResponseRecord, text: (text: string) => string): ResponseRecord {
  if ('closed' in response) return response;
  const { status, headers, body } = response;
  return {
    status,
    headers: headers.map(([name, value]) => [name, text(value)]),
    body: 'text' in body ? { text: text(body.text) } : body,
  };
}

/** Whether a text occurs in any output. */
export function mentions(outputs: Outputs, value: string): boolean {
  let isFound = false;
  mapOutputs(outputs, (text) => {
    isFound ||= text.toLowerCase().includes(value);
    return text;
  });
  return isFound;
}

/** The first input, in order, whose expected output is missing or differs. */
export function findDivergence(expected: Outputs, actual: Outputs): Divergence | undefined {
  const places = [...expected.responses.keys(), ...expected.sent.keys()].sort(comparePlaces);
  for (const input of places) {
    const differences = differencesAt(input, expected, actual);
    if (differences.length > 0) return { input, differences };
  }
  return undefined;
}

/** Compares what is expected of one input. */
export function differencesAt(n: string, expected: Outputs, actual: Outputs): Difference[] {
  const sent = expected.sent.get(n);
  if (sent !== undefined) {
    const now = actual.sent.get(n);
    return now === undefined ? [{ path: 'webhook', recorded: 'sent' }] : compareTexts(sent, now);
  }
  const [before, after] = [expected.responses.get(n), actual.responses.get(n)];
  if (!before) return [];
  if (!after) return [{ path: 'status', recorded: statusOf(before.response) }];
  const { request, response } = before;
  const ignored = ignoredOf(request);
  const differences = compareResponses(response, after.response, request.api, ignored);
  if (differences.length === 0 || before.failedCheck === after.failedCheck) return differences;
  const check = {
    path: 'failed check',
    recorded: before.failedCheck ?? 'none',
    replayed: after.failedCheck ?? 'none',
  };
  const [first, ...others] = differences;
  return first ? [first, check, ...others] : [];
}

function statusOf(response: ResponseRecord): number | 'closed' {
  return 'closed' in response ? 'closed' : response.status;
}

import type { Api } from '../requests/message.ts';
import { compareResponses, compareTexts } from './compare.ts';
import { type ReproInput, type ReproRequest, type ReproResponse, shortened } from './format.ts';
import type { Difference } from './result.ts';

export interface ResponseOutput {
  api: Api;
  response: ReproResponse;
  failedCheck: string | null;
}

/** The outputs of a world, by the number of the request, or of the step that records how a send ended. */
export interface Outputs {
  responses: Map<number, ResponseOutput>;
  /** Webhook bodies. */
  sent: Map<number, string>;
}

export interface Divergence {
  /** Number of the input. */
  input: number;
  differences: Difference[];
}

export function noOutputs(): Outputs {
  return { responses: new Map(), sent: new Map() };
}

/** The outputs in a file or a recording. */
export function outputsOf(inputs: readonly ReproInput[]): Outputs {
  const outputs = noOutputs();
  for (const input of inputs) {
    if (input.kind === 'step') {
      if (typeof input.body === 'string') outputs.sent.set(input.n, input.body);
    } else if (input.response) {
      const { api, response, failed_check: failedCheck = null } = input;
      outputs.responses.set(input.n, { api, response, failedCheck });
    }
  }
  return outputs;
}

/** Returns the inputs with these outputs instead of theirs. A response that was not recorded in time stays out. */
export function withOutputs(inputs: readonly ReproInput[], outputs: Outputs): ReproInput[] {
  return inputs.map((input) => {
    if (input.kind === 'step') {
      return typeof input.body === 'string'
        ? { ...input, body: outputs.sent.get(input.n) ?? input.body }
        : input;
    }
    const { response, ...request } = input;
    const output = response && outputs.responses.get(input.n);
    if (!output) return request satisfies ReproRequest;
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

function mapResponse(response: ReproResponse, text: (text: string) => string): ReproResponse {
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
  const numbers = [...expected.responses.keys(), ...expected.sent.keys()].sort((a, b) => a - b);
  for (const input of numbers) {
    const differences = differencesAt(input, expected, actual);
    if (differences.length > 0) return { input, differences };
  }
  return undefined;
}

/** Compares what is expected of one input. */
export function differencesAt(n: number, expected: Outputs, actual: Outputs): Difference[] {
  const sent = expected.sent.get(n);
  if (sent !== undefined) {
    const now = actual.sent.get(n);
    return now === undefined ? [{ path: 'webhook', recorded: 'sent' }] : compareTexts(sent, now);
  }
  const [before, after] = [expected.responses.get(n), actual.responses.get(n)];
  if (!before) return [];
  if (!after) return [{ path: 'status', recorded: statusOf(before.response) }];
  const differences = compareResponses(before.response, after.response, before.api);
  if (differences.length === 0 || before.failedCheck === after.failedCheck) return differences;
  const check = {
    path: 'failed check',
    recorded: before.failedCheck ?? 'none',
    replayed: after.failedCheck ?? 'none',
  };
  const [first, ...others] = differences;
  return first ? [first, check, ...others] : [];
}

function statusOf(response: ReproResponse): number | 'closed' {
  return 'closed' in response ? 'closed' : response.status;
}

import { diffJson } from '../../kernel/diff-json.ts';
import { headersOf } from '../../requests/compare-requests.ts';
import type { Api } from '../../requests/message.ts';
import { jsonText, shorten } from './describe.ts';
import {
  type ActRecord,
  bytesOf,
  digestOfBody,
  type InputRecord,
  type RequestRecord,
  type ResponseRecord,
  withShortBody,
} from './format.ts';
import { parseBoundedJson } from './limits.ts';
import { ignoredPathsOf } from './operation.ts';
import { isPlaceholder } from './placeholders.ts';
import { placesOf } from './places.ts';
import type { Difference } from './result.ts';

export interface Divergence {
  /** Place of the input. */
  input: string;
  differences: Difference[];
}

/** A replay differs from its file. */
export class DivergedError extends Error {
  override readonly name = 'DivergedError';
  readonly divergence: Divergence;
  constructor(divergence: Divergence) {
    const { input, differences } = divergence;
    const [first] = differences;
    const values = [first?.recorded, first?.replayed].map((value) => jsonText(value));
    const text = first?.note ?? values.join(' → ');
    super(
      `it does not replay: #${input} differs in ${shorten(first?.path ?? '')}, ${shorten(text, 200)}; run sandlot repro replay FILE`,
    );
    this.divergence = divergence;
  }
}

/** The inputs of a recording, and their results in a replay. */
export class InputResults {
  /**
   * The results by input: a request with its response, or an act with its clock reading, counters and the webhook body
   * that was sent. An act that was not performed is missing.
   */
  readonly results = new Map<InputRecord, InputRecord>();
  /** Reasons why inputs could not be performed as recorded. */
  readonly #notes = new Map<InputRecord, Difference[]>();
  readonly #places: ReadonlyMap<InputRecord, string>;

  constructor(inputs: readonly InputRecord[]) {
    this.#places = placesOf(inputs);
  }

  /** `12`, or `12.1` for the first read after act 12. */
  placeOf(input: InputRecord): string {
    return this.#places.get(input) ?? '';
  }

  wasPerformed(input: InputRecord): boolean {
    return !this.#notes.has(input) && (input.kind === 'request' || this.results.has(input));
  }

  differencesAt(input: InputRecord): Difference[] {
    return [...(this.#notes.get(input) ?? []), ...differencesOf(input, this.results.get(input))];
  }

  /** Returns the first of some inputs that differs from the recording. */
  divergenceOf(inputs: readonly InputRecord[]): Divergence | undefined {
    for (const input of inputs) {
      const differences = this.differencesAt(input);
      if (differences.length > 0) return { input: this.placeOf(input), differences };
    }
    return undefined;
  }

  protected addResult<Input extends InputRecord>(input: Input, result: Partial<Input>): void {
    this.results.set(input, { ...input, ...this.results.get(input), ...result });
  }

  protected addNote(input: InputRecord, note: string): void {
    this.#notes.set(input, [...(this.#notes.get(input) ?? []), { path: 'input', note }]);
  }
}

/** Compares an input with its result; undefined if it was not performed, or has no response. */
export function differencesOf(input: InputRecord, result: InputRecord | undefined): Difference[] {
  if (input.kind === 'act') return compareActs(input, result?.kind === 'act' ? result : undefined);
  return compareRequests(input, result?.kind === 'request' ? result : undefined);
}

function compareRequests(before: RequestRecord, after: RequestRecord | undefined): Difference[] {
  const { response } = before;
  if (!response) return [];
  if (!after?.response) {
    return [{ path: 'status', recorded: 'closed' in response ? 'closed' : response.status }];
  }
  const ignored = ignoredPathsOf(before);
  const differences = compareResponses(response, after.response, before.api, ignored);
  if (differences.length === 0) return [];
  const [recorded, replayed] = [before, after].map((request) => request.failed_check ?? 'none');
  const check = recorded === replayed ? [] : [{ path: 'failed check', recorded, replayed }];
  return differences.toSpliced(1, 0, ...check);
}

function compareActs(before: ActRecord, after: ActRecord | undefined): Difference[] {
  const body = before.params?.body;
  const newBody = after?.params?.body;
  const isMissing = body !== undefined && newBody === undefined;
  const webhook = isMissing ? [{ path: 'webhook', recorded: 'sent' }] : [];
  if (!after) return webhook;
  const clock = { path: 'clock', recorded: isoOf(before.now), replayed: isoOf(after.now) };
  const counters = Object.entries(before.counters ?? {}).map(([name, recorded]) => ({
    path: `counters.${name}`,
    recorded,
    replayed: after.counters?.[name],
  }));
  const changes = [clock, ...counters].filter(({ recorded, replayed }) => recorded !== replayed);
  const texts = body === undefined || newBody === undefined ? webhook : compareTexts(body, newBody);
  return [...changes, ...texts];
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Replaces the output of an input by that of its result. A response that was not recorded in time stays out. */
export function withResult(input: InputRecord, result: InputRecord | undefined): InputRecord {
  if (input.kind === 'act') {
    const body = result?.kind === 'act' ? result.params?.body : undefined;
    return body === undefined ? input : { ...input, params: { ...input.params, body } };
  }
  const { response, ...request } = input;
  if (!response || result?.kind !== 'request' || !result.response) return request;
  return { ...request, response: result.response, failed_check: result.failed_check };
}

/** As `withResult`; replaces long bodies by their digest, as in a file. */
export function toFileInput(input: InputRecord, result: InputRecord | undefined): InputRecord {
  const output = withResult(input, result);
  if (output.kind === 'act' || !output.response) return output;
  return { ...output, response: withShortBody(output.response) };
}

/** Changes the texts in the output of an input. A long body, of which only the digest is known, stays. */
export function mapOutput(
  input: InputRecord | undefined,
  text: (text: string) => string,
): InputRecord | undefined {
  if (input?.kind === 'act') {
    const { params } = input;
    if (params?.body === undefined) return input;
    return { ...input, params: { ...params, body: text(params.body) } };
  }
  if (!input?.response || 'closed' in input.response) return input;
  const { status, headers, body } = input.response;
  return {
    ...input,
    response: {
      status,
      headers: headers.map(([name, value]) => [name, text(value)]),
      body: 'text' in body ? { text: text(body.text) } : body,
    },
  };
}

export const MAX_DIFFERENCES = 20;

const LAYOUT = 'only white space, or the order or spelling of fields, differs';

type FullResponse = Extract<ResponseRecord, { status: number }>;

/**
 * Compares two responses. Of a hosted page, only the status and the Location header.
 * @param ignored paths in the body that are not compared
 */
export function compareResponses(
  recorded: ResponseRecord,
  replayed: ResponseRecord,
  api: Api,
  ignored: readonly string[] = [],
): Difference[] {
  if ('closed' in recorded || 'closed' in replayed) {
    const status = (response: ResponseRecord) =>
      'closed' in response ? 'closed' : response.status;
    return diff('status', status(recorded), status(replayed));
  }
  const differences = [
    ...diff('status', recorded.status, replayed.status),
    ...compareHeaders(recorded, replayed, api),
    ...(api === 'page' ? [] : compareBodies(recorded.body, replayed.body, ignored)),
  ];
  return differences.slice(0, MAX_DIFFERENCES);
}

/** `orders[].status` for `orders[ord_1].status`. */
export function pathOfAll(path: string): string {
  return path.replaceAll(/\[[^[\]]*\]/g, '[]');
}

/**
 * Compares two JSON documents.
 * @param ignored paths, with `[]` for each element of a list
 */
export function compareTexts(
  recorded: string,
  replayed: string,
  ignored: readonly string[] = [],
): Difference[] {
  if (recorded === replayed || matchesRedacted(recorded, replayed)) return [];
  const [a, b] = [parseBoundedJson(recorded), parseBoundedJson(replayed)];
  if (a === undefined || b === undefined) return diff('body', recorded, replayed);
  const { differences, volatile } = diffJson(a, b, {
    isVolatile: (path) => ignored.includes(pathOfAll(path)),
    max: MAX_DIFFERENCES,
  });
  if (differences.length > 0) {
    return differences.flatMap(({ path, a, b }) => diff(path === '' ? 'body' : path, a, b));
  }
  return volatile.length > 0 ? [] : [{ path: 'body', note: LAYOUT }];
}

const REDACTED = '[redacted]';

/** Whether `replayed` is `recorded` with the placeholder of a secret, or with `[redacted]`, at each `[redacted]`. */
function matchesRedacted(recorded: string, replayed: string): boolean {
  const [firstPart = '', ...otherParts] = recorded.split(REDACTED);
  if (otherParts.length === 0 || !replayed.startsWith(firstPart)) return false;
  let at = firstPart.length;
  for (const [index, part] of otherParts.entries()) {
    const isLast = index === otherParts.length - 1;
    const next = isLast ? replayed.length - part.length : replayed.indexOf(part, at);
    if (next < at || !replayed.startsWith(part, next)) return false;
    const placeholder = replayed.slice(at, next).replaceAll('/', '');
    if (!isPlaceholder(placeholder.replace(/^\[redacted\]/, 'redacted'))) return false;
    at = next + part.length;
  }
  return true;
}

function compareHeaders(recorded: FullResponse, replayed: FullResponse, api: Api): Difference[] {
  const [before, after] = [headersOf(recorded.headers), headersOf(replayed.headers)];
  return Object.keys({ ...before, ...after })
    .filter((name) => api !== 'page' || name === 'location')
    .flatMap((name) => diff(`headers.${name}`, before[name], after[name]));
}

function compareBodies(
  recorded: FullResponse['body'],
  replayed: FullResponse['body'],
  ignored: readonly string[],
): Difference[] {
  if ('bytes' in recorded || 'bytes' in replayed) {
    const digest = (body: FullResponse['body']) => {
      const { bytes, sha256 } = 'bytes' in body ? body : digestOfBody(bytesOf(body));
      return `${bytes} bytes, SHA-256 ${sha256}`;
    };
    return diff('body', digest(recorded), digest(replayed));
  }
  return compareTexts(bytesOf(recorded).toString(), bytesOf(replayed).toString(), ignored);
}

function diff(path: string, recorded: unknown, replayed: unknown): Difference[] {
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return [];
  return [
    {
      path,
      ...(recorded !== undefined && { recorded }),
      ...(replayed !== undefined && { replayed }),
    },
  ];
}

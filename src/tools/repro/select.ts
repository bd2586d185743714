import { conflict, notFound, validationError } from '../../kernel/errors.ts';
import { isoTime } from '../../kernel/time.ts';
import type { ExportReproOptions } from './api.ts';
import { type InputRecord, type RequestRecord, textOf } from './format.ts';
import { keyOf } from './operation.ts';
import { listedInputs, placesOf } from './places.ts';
import type { Recording } from './recording/recording-store.ts';
import { type Recordings, withoutLaterActs } from './recording/recordings.ts';
import { readInstant, SINCE_ERROR } from './since.ts';

/** Selects the inputs of a file; by default all of the newest recording. */
export type ReproSelection = {
  [Name in 'request' | 'order' | 'domain' | 'last' | 'since']?:
    | ExportReproOptions[Name]
    | undefined;
};

export interface SelectedInputs {
  recording: Recording;
  /** From the start of the recording to the end of the target, without responses that came later. */
  inputs: readonly InputRecord[];
  /** Number of the first act with which the file may start. */
  start: number;
  /** Place of a request. */
  target: string;
  focus: [first: string, last: string];
}

export interface SelectionContext {
  /** Real time, Unix ms. */
  madeAt: number;
  /** Why nothing is being recorded; null if a recording is open. */
  reason: string | null;
  /** Id of the newest request in the log, if it must be complete. */
  newest?: string | undefined;
}

/** An earlier request is in flight, so the recording has a gap. */
export const IN_FLIGHT = 'an earlier request is still in flight; try again when it is done';

/** With more inputs before the selection, the file starts at the first idle moment in the last `KEPT_INPUTS_BEFORE`. */
const MAX_INPUTS_BEFORE = 1_000;
const KEPT_INPUTS_BEFORE = 250;
const SNAPSHOTS = /^\/_sandbox\/snapshots\b/;

/**
 * Selects the inputs of a file.
 * @throws validation_error; not_found for a request or order that is not in the log; conflict if it is not recorded, or `IN_FLIGHT`
 */
export function selectInputs(
  recordings: Recordings,
  selection: ReproSelection,
  { reason, madeAt, newest: last }: SelectionContext,
): SelectedInputs {
  const list = recordings.list();
  const newest = list.at(-1);
  if (!newest) throw conflict(`nothing is recorded${reason === null ? ' yet' : `: ${reason}`}`);
  const { recording, inputs, target } = targetOf(recordings, list, newest, selection, last);
  const places = placesOf(inputs);
  const first = firstRequestOf(requestsOf(inputs), selection, target, madeAt);
  const placeOf = (request: RequestRecord) => places.get(request) ?? '';
  return {
    recording,
    inputs: inputsUpTo(inputs, target),
    start: startOf(inputs, first),
    target: placeOf(target),
    focus: [placeOf(first), placeOf(target)],
  };
}

function targetOf(
  recordings: Recordings,
  list: readonly Recording[],
  newest: Recording,
  selection: ReproSelection,
  lastLogged: string | undefined,
): { recording: Recording; inputs: InputRecord[]; target: RequestRecord } {
  const { request, order, domain, last } = selection;
  if (request !== undefined) {
    const recordingKey = recordings.find(request);
    const recording = list.find(({ key }) => key === recordingKey);
    const inputs = recording ? recordings.inputs(recording) : [];
    const target = requestsOf(inputs).find(({ request_id }) => request_id === request);
    if (!recording || !target?.response) {
      if (recordingKey && recording?.ended === null) throw conflict(IN_FLIGHT);
      throw conflict(`request: ${request} is not recorded; ${describeNewest(newest, list)}`);
    }
    return { recording, inputs, target };
  }
  const newestInputs = recordings.inputs(newest);
  const requests = requestsOf(newestInputs);
  if (lastLogged !== undefined && newest.ended === null) {
    const isOwn = recordings.find(lastLogged) === newest.key;
    const loggedRequest = requests.find(({ request_id }) => request_id === lastLogged);
    if (isOwn && !loggedRequest?.response) throw conflict(IN_FLIGHT);
  }
  const subject = order ?? domain;
  if (subject !== undefined) {
    for (const recording of list.toReversed()) {
      const inputs = recording === newest ? newestInputs : recordings.inputs(recording);
      const target = lastAbout(requestsOf(inputs), subject);
      if (target) return { recording, inputs, target };
    }
    const option = order === undefined ? 'domain' : 'order';
    throw notFound(
      `${option}: no recorded request names ${subject}; ${describeNewest(newest, list)}`,
    );
  }
  const rejected = last === undefined ? undefined : requests.slice(-last).findLast(isRejected);
  const target = rejected ?? requests.at(-1);
  if (!target) throw conflict('nothing is recorded yet');
  return { recording: newest, inputs: newestInputs, target };
}

/** Whether a partner API request was rejected. */
export function isRejected({ api, response }: RequestRecord): boolean {
  return (
    api === 'partner' && response !== undefined && 'status' in response && response.status >= 400
  );
}

function describeNewest({ began }: Recording, list: readonly Recording[]): string {
  const before = list.at(-2);
  const reason = before?.ended ? `, after the one before ended: ${before.ended.reason}` : '';
  return `the newest recording begins at ${isoTime(began)}${reason}`;
}

function firstRequestOf(
  requests: readonly RequestRecord[],
  { last, since }: ReproSelection,
  target: RequestRecord,
  now: number,
): RequestRecord {
  if (last !== undefined) return requests.at(-last) ?? requests[0] ?? target;
  if (since === undefined) return target;
  const start = readInstant(since, now);
  if (start === undefined) throw validationError(`since: ${SINCE_ERROR}`);
  const first = requests.find(({ at }) => at >= start);
  if (first) return first;
  throw conflict(`since: no request is recorded since ${isoTime(start)}`);
}

/** IDs in a response. Later requests may name only these: a rejected order names only its quote. */
const IDS = /"(?:quote_id|public_id|session_id|case_id)":"([^"]+)"/g;

/** Returns the last request that names an ID or a domain, or an ID in the response to such a request. */
function lastAbout(requests: readonly RequestRecord[], subject: string): RequestRecord | undefined {
  const ids = new Set([subject]);
  let last: RequestRecord | undefined;
  for (const request of requests) {
    if (!namesIn(request).some((name) => ids.has(name))) continue;
    last = request;
    if (request.method === 'GET') continue;
    for (const [, id = ''] of textOf(request.response).matchAll(IDS)) ids.add(id);
  }
  return last;
}

/** Returns the words of a request and its response that may be IDs or domains. */
function namesIn({ target, body, response }: RequestRecord): string[] {
  return [target, textOf(body), textOf(response)].flatMap(
    (text) => text.match(/[\w-]+(?:\.[\w-]+)*/g) ?? [],
  );
}

/** Returns the text of an input in which names of objects are searched. */
export function searchedText(input: InputRecord): string {
  if (input.kind === 'act') {
    const { cause, params } = input;
    return `${cause.type} ${'id' in cause ? cause.id : ''} ${params?.body ?? ''}`;
  }
  const { method, target, request_id, headers, body, response } = input;
  return `${method} ${target} ${request_id} ${JSON.stringify(headers)} ${textOf(body)} ${textOf(response)}`;
}

/** Filters inputs; all conditions must match. */
export interface InputFilter {
  /** A text of the input, in any case. */
  grep?: string | undefined;
  /** `409`, `4xx` or `closed`. */
  status?: string | undefined;
  /** Key ID of the credential. */
  key?: string | undefined;
  /** ID of an order. */
  order?: string | undefined;
}

export const STATUS_FORM = /^(?:[1-5](?:\d\d|xx)|closed)$/;

export function matchesFilter(input: InputRecord, filter: InputFilter): boolean {
  const { grep = '', status, key, order = '' } = filter;
  const text = searchedText(input);
  if (!text.toLowerCase().includes(grep.toLowerCase()) || !text.includes(order)) return false;
  if (input.kind === 'act') return status === undefined && key === undefined;
  return (
    (key === undefined || keyOf(input) === key) &&
    (status === undefined || hasStatus(input, status))
  );
}

function hasStatus({ response }: RequestRecord, filter: string): boolean {
  if (!response) return false;
  const status = 'closed' in response ? 'closed' : String(response.status);
  return status === filter || (filter.endsWith('xx') && status[0] === filter[0]);
}

/** Returns the inputs up to the last act of the target. Removes later responses. */
export function inputsUpTo(inputs: readonly InputRecord[], target: InputRecord): InputRecord[] {
  const last = target.kind === 'act' ? target.n : (target.acts.at(-1) ?? target.after);
  const end = inputs.findLastIndex(
    (input) => input === target || (input.kind === 'act' && input.n === last),
  );
  return inputs
    .slice(0, end + 1)
    .map((input) => (input.kind === 'act' ? input : withoutLaterActs(last, input)));
}

/** Returns the number of the first act with which a file may start. */
function startOf(inputs: readonly InputRecord[], first: RequestRecord): number {
  const listed = listedInputs(inputs);
  const at = listed.indexOf(first);
  const lastInputs = at > MAX_INPUTS_BEFORE ? listed.slice(at - KEPT_INPUTS_BEFORE) : listed;
  return lastInputs.flatMap((input) => (input.kind === 'act' ? input.n : input.acts)).at(0) ?? 1;
}

/** Returns the number of the last act that needs snapshots; 0 if there is none. */
export function lastSnapshotUse(inputs: readonly InputRecord[]): number {
  const uses = requestsOf(inputs).filter(({ target }) => SNAPSHOTS.test(target));
  return Math.max(0, ...uses.map(({ acts, after }) => acts.at(-1) ?? after + 1));
}

export function requestsOf(inputs: readonly InputRecord[]): RequestRecord[] {
  return inputs.filter((input) => input.kind === 'request');
}

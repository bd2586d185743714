import { conflict, notFound } from '../kernel/errors.ts';
import { isoTime } from '../kernel/time.ts';
import type { RecordedInput, RecordedRequest, Recording } from '../requests/recording.ts';
import type { Recordings } from '../requests/recordings.ts';

/** Selects the target of a file; by default all of the newest recording. */
export interface ReproSelection {
  /** Request ID. */
  request?: string | undefined;
  /** Order ID: the last request that names it. */
  order?: string | undefined;
  /** The newest requests. */
  last?: number | undefined;
  /** Real time, Unix ms. */
  since?: number | undefined;
}

export interface Selected {
  recording: Recording;
  /** From the start of the recording to the end of the target; a response that came later is left out. */
  inputs: RecordedInput[];
  /** The first input, or from where on the file may start. */
  start: number;
  target: number;
  focus: [first: number, last: number];
}

/** An earlier request is in flight, so what follows it is not complete. */
export class InFlightError extends Error {}

/** With more inputs before the selection, the file starts at the first idle moment from this many before it. */
const MAX_BEFORE = 1_000;
const KEPT_BEFORE = 250;
const SNAPSHOTS = /^\/_sandbox\/snapshots\b/;

/**
 * Selects the inputs of a file.
 * @param reason why nothing is recorded now, if so
 * @throws not_found for a request or order that is not in the log; conflict if it is not recorded
 */
export function selectInputs(
  recordings: Recordings,
  selection: ReproSelection,
  reason: string | null,
): Selected {
  const all = recordings.list();
  const newest = all.at(-1);
  if (!newest) throw conflict(`nothing is recorded${reason === null ? ' yet' : `: ${reason}`}`);
  const { recording, inputs, target } = targetOf(recordings, all, newest, selection);
  const requests = requestsOf(inputs).filter(({ n }) => n <= target);
  const first = firstOf(requests, selection, target);
  const end = endOf(inputs, target);
  const goesOn = new Set(inputs.slice(end).map((input) => 'of' in input && input.of));
  return {
    recording,
    inputs: inputs
      .slice(0, end)
      .map((input) =>
        input.kind === 'request' && goesOn.has(input.n) ? { ...input, response: null } : input,
      ),
    start: startOf(inputs, first),
    target,
    focus: [first, target],
  };
}

function targetOf(
  recordings: Recordings,
  all: readonly Recording[],
  newest: Recording,
  { request, order }: ReproSelection,
): { recording: Recording; inputs: RecordedInput[]; target: number } {
  if (request !== undefined) {
    const found = recordings.find(request);
    const recording = all.find(({ id }) => id === found?.recording);
    const inputs = recording ? recordings.inputs(recording) : [];
    if (!found || !recording || !inputs.some(({ n }) => n === found.n)) {
      if (found && recording?.ended === null) throw new InFlightError();
      throw conflict(`request: ${request} is not recorded; ${describeBegin(newest, all)}`);
    }
    return { recording, inputs, target: found.n };
  }
  if (order !== undefined) {
    for (const recording of all.toReversed()) {
      const inputs = recordings.inputs(recording);
      const found = requestsOf(inputs).findLast((each) => names(each, order));
      if (found) return { recording, inputs, target: found.n };
    }
    throw notFound(`order: no recorded request names ${order}; ${describeBegin(newest, all)}`);
  }
  const inputs = recordings.inputs(newest);
  const last = requestsOf(inputs).at(-1);
  if (!last) throw conflict('nothing is recorded yet');
  return { recording: newest, inputs, target: last.n };
}

function describeBegin({ began }: Recording, all: readonly Recording[]): string {
  const before = all.at(-2);
  const why = before?.ended ? `, after the one before ended: ${before.ended}` : '';
  return `the newest recording begins at ${isoTime(began)}${why}`;
}

function firstOf(
  requests: readonly RecordedRequest[],
  { request, order, last, since }: ReproSelection,
  target: number,
): number {
  if (request !== undefined || order !== undefined) return target;
  if (last !== undefined) return requests.at(-last)?.n ?? requests[0]?.n ?? target;
  if (since === undefined) return requests[0]?.n ?? target;
  const first = requests.find(({ at }) => at >= since);
  if (first) return first.n;
  throw conflict(`since: no request is recorded since ${isoTime(since)}`);
}

/** Whether a request or its response contains the ID. */
function names({ target, body, response }: RecordedRequest, id: string): boolean {
  if (target.includes(id) || body.includes(id)) return true;
  return response !== null && response !== 'closed' && response.body.includes(id);
}

/** The index after the last input that belongs to the target. */
function endOf(inputs: readonly RecordedInput[], target: number): number {
  return 1 + inputs.findLastIndex(({ n, ...input }) => n === target || isOf(input, target));
}

function isOf(input: object, target: number): boolean {
  return 'of' in input && input.of === target;
}

/** The beginning, or from where on a file may start. */
function startOf(inputs: readonly RecordedInput[], first: number): number {
  const at = inputs.findIndex(({ n }) => n === first);
  return inputs[at > MAX_BEFORE ? at - KEPT_BEFORE : 0]?.n ?? 1;
}

/** Returns whether a snapshot was saved before an input and is used after it: a file that starts there lacks it. */
export function keepsSnapshot(inputs: readonly RecordedInput[]): (n: number) => boolean {
  const requests = requestsOf(inputs).filter(({ target }) => SNAPSHOTS.test(target));
  const [saved, used] = [requests[0]?.n ?? 0, requests.at(-1)?.n ?? 0];
  return (n) => n > saved && n <= used;
}

function requestsOf(inputs: readonly RecordedInput[]): RecordedRequest[] {
  return inputs.filter((input) => input.kind === 'request');
}

import type { ActRecord, InputRecord } from './format.ts';

/**
 * Returns the place of each input: the number of an act, or of the first act of a request; `12.1` is the first request
 * without an act after act 12.
 */
export function placesOf(inputs: readonly InputRecord[]): Map<InputRecord, string> {
  const places = new Map<InputRecord, string>();
  let [after, reads] = [-1, 0];
  for (const input of inputs) {
    if (input.kind === 'act') places.set(input, String(input.n));
    else if (input.acts[0] !== undefined) places.set(input, String(input.acts[0]));
    else {
      reads = input.after === after ? reads + 1 : 1;
      after = input.after;
      places.set(input, `${after}.${reads}`);
    }
  }
  return places;
}

/** Returns the request or act at a place. */
export function findInput(inputs: readonly InputRecord[], place: string): InputRecord | undefined {
  const places = placesOf(inputs);
  return inputs.find((input) => places.get(input) === place);
}

/** Returns the number of an act, of the first act of a request, or of the act before a read. */
export function actNumberOf(input: InputRecord): number {
  return input.kind === 'act' ? input.n : (input.acts[0] ?? input.after);
}

/** Compares two places in the order of a file. */
export function comparePlaces(a: string, b: string): number {
  const [actA = 0, readA = 0] = a.split('.').map(Number);
  const [actB = 0, readB = 0] = b.split('.').map(Number);
  return actA - actB || readA - readB;
}

/** Returns the number of the act at a place, or before a read at a place; 0 if there is no act before it. */
export function findActNumber(inputs: readonly InputRecord[], place: string): number | undefined {
  if (place === '0') return 0;
  const match = findInput(inputs, place.replace(/^#/, ''));
  if (!match) return undefined;
  const n = actNumberOf(match);
  return inputs.some((input) => input.kind === 'act' && input.n === n) ? n : 0;
}

/** Returns `the acts of the file are 1 to 137`. */
export function describeActRange(inputs: readonly InputRecord[]): string {
  const first = inputs.find((input) => input.kind === 'act')?.n;
  if (first === undefined) return 'the file has no acts';
  return `the acts of the file are ${first} to ${lastActNumber(inputs)}`;
}

/** Returns the inputs that are listed: requests and acts of scheduled work. Stops of a clock advance belong to its request. */
export function listedInputs(inputs: readonly InputRecord[]): InputRecord[] {
  return inputs.filter(
    (input) => input.kind === 'request' || !['request', 'clock.to'].includes(input.cause.type),
  );
}

/** Returns the listed input that an act belongs to; undefined if the file has no such act. */
export function findInputOfAct(inputs: readonly InputRecord[], n: number): InputRecord | undefined {
  const act = inputs.find((input) => input.kind === 'act' && input.n === n);
  if (act?.kind !== 'act') return undefined;
  const { type } = act.cause;
  if (type === 'request') {
    return inputs.find((input) => input.kind === 'request' && input.acts.includes(n));
  }
  if (type !== 'clock.to') return act;
  return inputs.findLast((input) => movesClock(input) && actNumberOf(input) < n);
}

/** Returns the numbers of the acts of a listed input. */
export function actNumbersOf(inputs: readonly InputRecord[], input: InputRecord): number[] {
  if (input.kind === 'act') return [input.n];
  const ownActs = new Set(input.acts);
  const [first = 0] = input.acts;
  const last = input.acts.at(-1) ?? 0;
  const isStop = ({ n, cause }: ActRecord) =>
    movesClock(input) && cause.type === 'clock.to' && n > first && n < last;
  return inputs.flatMap((record) =>
    record.kind === 'act' && (ownActs.has(record.n) || isStop(record)) ? record.n : [],
  );
}

function movesClock(input: InputRecord): boolean {
  return input.kind === 'request' && /^\/_sandbox\/clock\b/.test(input.target);
}

/** Returns the number of the last act; 0 if there is none. */
export function lastActNumber(inputs: readonly InputRecord[]): number {
  return inputs.findLast((input) => input.kind === 'act')?.n ?? 0;
}

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
export function atPlace(inputs: readonly InputRecord[], place: string): InputRecord | undefined {
  const places = placesOf(inputs);
  return inputs.find((each) => places.get(each) === place);
}

/** The number of an act, of the first act of a request, or of the act that a read comes after. */
export function numberOf(input: InputRecord): number {
  return input.kind === 'act' ? input.n : (input.acts[0] ?? input.after);
}

/** Compares two places in the order of a file. */
export function comparePlaces(one: string, other: string): number {
  const [[a = 0, b = 0], [c = 0, d = 0]] = [one, other].map((each) =>
    each.split('.').map(Number),
  ) as [number[], number[]];
  return a - c || b - d;
}

/** Returns the act that a place names, or that a read there comes after; 0 if none came before. */
export function findAct(inputs: readonly InputRecord[], place: string): number | undefined {
  if (place === '0') return 0;
  for (const each of placesOf(inputs).values()) {
    if (each !== place.replace(/^#/, '')) continue;
    const n = Math.trunc(Number(each));
    return inputs.some((other) => other.kind === 'act' && other.n === n) ? n : 0;
  }
  return undefined;
}

/** `the acts of the file are 1 to 137`. */
export function rangeOf(inputs: readonly InputRecord[]): string {
  const first = inputs.find((each) => each.kind === 'act')?.n;
  if (first === undefined) return 'the file has no acts';
  return `the acts of the file are ${first} to ${lastActOf(inputs)}`;
}

/** What a person sees as inputs: requests, and acts that no request caused. A stop of the clock is of the move that makes it. */
export function inputsOf(inputs: readonly InputRecord[]): InputRecord[] {
  return inputs.filter(
    (each) => each.kind === 'request' || !['request', 'clock.to'].includes(each.cause.type),
  );
}

/** Returns the input that an act is of; undefined if the file has no such act. */
export function inputOf(inputs: readonly InputRecord[], n: number): InputRecord | undefined {
  const act = inputs.find((each) => each.kind === 'act' && each.n === n);
  if (act?.kind !== 'act') return undefined;
  const { type } = act.cause;
  if (type === 'request') {
    return inputs.find((each) => each.kind === 'request' && each.acts.includes(n));
  }
  if (type !== 'clock.to') return act;
  return inputs.findLast((each) => movesClock(each) && numberOf(each) < n);
}

/** The numbers of the acts that are of an input. */
export function actsOf(inputs: readonly InputRecord[], input: InputRecord): number[] {
  if (input.kind === 'act') return [input.n];
  const own = new Set(input.acts);
  const [first = 0] = input.acts;
  const last = input.acts.at(-1) ?? 0;
  const isStop = ({ n, cause }: ActRecord) =>
    movesClock(input) && cause.type === 'clock.to' && n > first && n < last;
  return inputs.flatMap((each) =>
    each.kind === 'act' && (own.has(each.n) || isStop(each)) ? each.n : [],
  );
}

function movesClock(input: InputRecord): boolean {
  return input.kind === 'request' && /^\/_sandbox\/clock\b/.test(input.target);
}

/** The number of the last act. */
export function lastActOf(inputs: readonly InputRecord[]): number {
  return inputs.findLast((each) => each.kind === 'act')?.n ?? 0;
}

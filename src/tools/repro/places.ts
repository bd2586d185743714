import type { InputRecord } from './recording/recording.ts';

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

/** Compares two places in the order of a file. */
export function comparePlaces(one: string, other: string): number {
  const [[a = 0, b = 0], [c = 0, d = 0]] = [one, other].map((each) =>
    each.split('.').map(Number),
  ) as [number[], number[]];
  return a - c || b - d;
}

/** What a person sees as inputs: requests, and acts that no request caused. */
export function inputsOf(inputs: readonly InputRecord[]): InputRecord[] {
  return inputs.filter((each) => each.kind === 'request' || each.cause.type !== 'request');
}

/** The number of the last act. */
export function lastActOf(inputs: readonly InputRecord[]): number {
  return inputs.findLast((each) => each.kind === 'act')?.n ?? 0;
}

import { systemRuntime } from '../../kernel/runtime.ts';
import { nextTurn } from '../../kernel/timers.ts';

const SLICE_MS = 10;
let sliceEnd = 0;

/** Lets waiting requests run if 10 ms have passed since they last could. Long work calls it between its parts. */
export async function endSlice(): Promise<void> {
  if (systemRuntime.monotonic() < sliceEnd) return;
  await nextTurn();
  sliceEnd = systemRuntime.monotonic() + SLICE_MS;
}

/** Maps a list in order, and lets waiting requests run meanwhile. */
export async function mapInSlices<T, Result>(
  items: readonly T[],
  map: (item: T) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    await endSlice();
    results.push(map(item));
  }
  return results;
}

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

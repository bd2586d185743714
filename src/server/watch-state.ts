import { messageOf } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';

const CHECK_EVERY_MS = 1_000;

/** Explains why nothing more can be stored; undefined while the state folder is in place. */
export function findStateLoss({ worlds }: Sandbox): string | undefined {
  try {
    worlds.find(DEFAULT_WORLD)?.assertFileInPlace();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Calls `onLost` if the state folder is deleted, moved or replaced. @returns a function that stops watching */
export function watchState(
  sandbox: Sandbox,
  runtime: Runtime,
  onLost: (why: string) => void,
): () => void {
  let cancel = () => {};
  const check = () => {
    const why = findStateLoss(sandbox);
    if (why !== undefined) onLost(why);
    else cancel = runtime.after(CHECK_EVERY_MS, check);
  };
  cancel = runtime.after(CHECK_EVERY_MS, check);
  return () => cancel();
}

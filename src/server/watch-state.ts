import { messageOf } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Sandbox } from '../sandbox.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';

const CHECK_EVERY_MS = 1_000;

/** Why nothing more can be stored; undefined while the state folder is in its place. */
export function findStateLoss({ worlds }: Sandbox): string | undefined {
  try {
    worlds.find(DEFAULT_WORLD)?.assertFileInPlace();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Calls `onLost` once the state folder was deleted, moved or replaced. Returns its cancel. */
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

import { conflict } from '../kernel/errors.ts';
import type { Tx } from '../store/transaction.ts';
import { type Input, SAME_INPUT } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';

/**
 * Returns `world.transaction` for work over many event-loop ticks; it throws once the world was reset or deleted.
 * @throws conflict
 */
export function transactionWhilePresent(
  world: World,
  worlds: Worlds,
): <T>(input: Input, act: (tx: Tx) => T) => Promise<T> {
  const { stateVersion } = world;
  return async (input, act) => {
    const turn = world.enter(input);
    if (turn) await turn;
    if (worlds.find(world.name) === world && world.stateVersion === stateVersion)
      return world.transaction(SAME_INPUT, act);
    throw conflict(`world: ${world.name} was reset or deleted meanwhile`);
  };
}

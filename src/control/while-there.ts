import { conflict } from '../kernel/errors.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';

/**
 * Returns a check for work over many event-loop ticks: it throws once the world was reset, restored or deleted.
 * @throws conflict
 */
export function assertThere(world: World, worlds: Worlds): () => void {
  const { stateVersion } = world;
  return () => {
    if (worlds.find(world.name) === world && world.stateVersion === stateVersion) return;
    throw conflict(`world: ${world.name} was reset or deleted meanwhile`);
  };
}

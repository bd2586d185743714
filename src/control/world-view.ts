import { isoTime } from '../kernel/time.ts';
import type { World } from '../world/world.ts';
import { clockView } from './clock.ts';

/** A world as the control door shows it. */
export function worldView(world: World) {
  const { seed, createdAt } = world.identity;
  return {
    name: world.name,
    seed,
    clock: clockView(world.clock),
    created_at: isoTime(createdAt),
  };
}

import { RATE_CLASSES, type RateClass } from '../../store/schema/enums.ts';
import type { World } from '../../world/world.ts';

/** The used nonces and the rate windows of a world, in memory: a restart, a reset and a restore forget them. */
interface Usage {
  /** When each nonce was used, by key ID and nonce, oldest first; in real time, Unix ms. */
  nonces: Map<string, number>;
  /** When the requests of the last window were admitted, by key ID and rate class, oldest first. */
  windows: Map<string, number[]>;
}

const usages = new WeakMap<object, Usage>();

function usageOf({ stateVersion }: World): Usage {
  const usage = usages.get(stateVersion) ?? { nonces: new Map(), windows: new Map() };
  usages.set(stateVersion, usage);
  return usage;
}

export function noncesOf(world: World): Usage['nonces'] {
  return usageOf(world).nonces;
}

export function windowOf(world: World, keyId: string, rateClass: RateClass): number[] {
  const { windows } = usageOf(world);
  const window = windows.get(`${keyId} ${rateClass}`) ?? [];
  windows.set(`${keyId} ${rateClass}`, window);
  return window;
}

/** Forgets the rate windows of a world, or of one credential. */
export function resetRateLimits(world: World, keyId?: string): void {
  const { windows } = usageOf(world);
  if (keyId === undefined) windows.clear();
  else for (const rateClass of RATE_CLASSES) windows.delete(`${keyId} ${rateClass}`);
}

import { maxOpenDatabases } from '../store/open-files.ts';
import type { World } from './world.ts';

const MAX_OPEN = 100;
/** The others are request logs. */
const SHARE = 2 / 3;

/** Keeps few world files open: when one is opened, those that were used least lately rest. */
export class OpenLimit {
  readonly #open = new Set<World>();
  readonly #max: number;

  constructor(max = maxOpenDatabases(MAX_OPEN, SHARE)) {
    this.#max = max;
  }

  /** Worlds that are in use stay open, also above the limit. */
  opened(world: World): void {
    this.#open.add(world);
    if (this.#open.size <= this.#max) return;
    const others = [...this.#open].filter((each) => each !== world);
    for (const each of others.sort((a, b) => a.lastUse - b.lastUse)) {
      if (this.#open.size <= this.#max) return;
      if (each.closeIdle()) this.#open.delete(each);
    }
  }

  /** Of a world that is gone. */
  forget(world: World): void {
    this.#open.delete(world);
  }
}

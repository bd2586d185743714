import { conflict } from '../kernel/errors.ts';
import { findDamage } from './find-damage.ts';
import type { World } from './world.ts';
import type { WorldsOptions } from './worlds-options.ts';

/** Which worlds cannot be used or are damaged, and why. */
export class WorldHealth {
  /** Why the file of a world could not be used at the start, by name. */
  unusable: ReadonlyMap<string, string> = new Map();
  /** Problems found by `checkFiles`, by the generation of the world: a reset or restore replaces its file. */
  readonly #damaged = new WeakMap<object, string>();
  readonly #options: Pick<WorldsOptions, 'runtime' | 'onDamaged'>;
  readonly #closing = new AbortController();

  constructor(options: Pick<WorldsOptions, 'runtime' | 'onDamaged'>) {
    this.#options = options;
  }

  /** Lists the worlds that could not be used at the start, and those of `worlds` that are damaged. */
  list(worlds: readonly World[]): { name: string; problem: string }[] {
    return [
      ...Array.from(this.unusable, ([name, problem]) => ({ name, problem })),
      ...worlds.flatMap(({ name, generation }) => {
        const problem = this.#damaged.get(generation);
        return problem === undefined ? [] : [{ name, problem }];
      }),
    ];
  }

  /** A check at every start would cost as much as the start itself. */
  async checkFiles(worlds: readonly World[], isPresent: (world: World) => boolean): Promise<void> {
    const { runtime, onDamaged } = this.#options;
    for (const world of worlds) {
      const { generation } = world;
      const problem = await findDamage(world, runtime, this.#closing.signal);
      if (problem === undefined || !isPresent(world) || world.generation !== generation) continue;
      this.#damaged.set(generation, problem);
      onDamaged?.(world.name, problem);
    }
  }

  /** @param field the input that names the world. @throws conflict */
  assertUsable(field: string, name: string): void {
    const problem = this.unusable.get(name);
    if (problem === undefined) return;
    throw conflict(`${field}: world "${name}" cannot be used. ${problem}`);
  }

  /** Ends a check of files. */
  close(): void {
    this.#closing.abort();
  }
}

import { type CodedError, conflict, notFound } from '../kernel/errors.ts';
import { KeyIndex } from './key-index.ts';
import { OpenLimit } from './open-limit.ts';
import type { World } from './world.ts';

/** The worlds by name, their credentials, and which of them cannot be used. */
export class WorldRegistry {
  /** The credentials of all worlds. `indexKey` and `indexKeys` change it. */
  readonly keys = new KeyIndex();
  protected readonly limit = new OpenLimit();
  /** Why the file of a world could not be used at the start, by name. */
  protected unusableFiles: ReadonlyMap<string, string> = new Map();
  readonly #worlds = new Map<string, World>();

  list(): World[] {
    return [...this.#worlds.values()];
  }

  find(name: string): World | undefined {
    return this.#worlds.get(name);
  }

  /** @throws not_found, conflict if its file cannot be used */
  require(name: string): World {
    const world = this.find(name);
    if (world) return world;
    this.assertUsable('world', name);
    throw notFound(`world: world "${name}" not found; existing worlds: ${this.names().join(', ')}`);
  }

  /** A world may be deleted while a request for it is read. @throws not_found */
  assertPresent(world: World): void {
    if (!this.#has(world)) throw deleted(world);
  }

  /** Lists the worlds whose file cannot be used, and why. */
  unusable(): { name: string; problem: string }[] {
    return Array.from(this.unusableFiles, ([name, problem]) => ({ name, problem }));
  }

  /** Called after a credential of a world was added, changed or removed. */
  indexKey(world: World, keyId: string): void {
    if (this.#has(world)) this.keys.readOne(world, keyId);
  }

  /** Called after the database of a world was replaced. */
  indexKeys(world: World): void {
    if (this.#has(world)) this.keys.read(world);
    else this.keys.forget(world);
  }

  protected names(): string[] {
    return [...this.#worlds.keys()];
  }

  /** @param field the input that names the world. @throws conflict */
  protected assertUsable(field: string, name: string): void {
    const problem = this.unusableFiles.get(name);
    if (problem === undefined) return;
    throw conflict(`${field}: world "${name}" cannot be used. ${problem}`);
  }

  protected add(world: World): void {
    this.#worlds.set(world.name, world);
  }

  protected remove(world: World): void {
    this.#worlds.delete(world.name);
    this.limit.forget(world);
    this.keys.forget(world);
    world.close(deleted(world));
  }

  protected closeWorlds(): void {
    for (const world of this.#worlds.values()) world.close();
    this.#worlds.clear();
    this.keys.clear();
  }

  #has(world: World): boolean {
    return this.#worlds.get(world.name) === world;
  }
}

function deleted({ name }: World): CodedError {
  return notFound(`world: ${name} has been deleted`);
}

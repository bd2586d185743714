import type { Repro } from './format.ts';
import type { InputRecord } from './recording/recording.ts';
import type { Replay } from './replay.ts';
import { openFile } from './replay-file.ts';
import {
  clockView,
  OBJECT_TYPES,
  type ObjectChange,
  type ObjectTypeName,
  type View,
  type WorldObject,
} from './world-objects.ts';

/** What the control API shows of a world, by type and id. */
type WorldView = ReadonlyMap<ObjectChange['type'], ReadonlyMap<string, WorldObject>>;

/** Times and durations that tell nothing of what happened. */
const LEFT_OUT = new Set(['created_at', 'updated_at', 'at', 'duration_ms']);

/** Reads all that the control API shows, at a real time. */
function viewOf(replay: Replay, at: number): WorldView {
  const { world, recorded } = replay;
  return replay.readAt(at, (tx) => {
    const types = Object.entries(OBJECT_TYPES).map(([type, { read }]) => {
      const all = read(tx, recorded.settings.base_url);
      const objects = type === 'balance' ? all.filter(({ view }) => !isZero(view)) : all;
      return [type as ObjectTypeName, new Map(objects.map((each) => [each.id, each]))] as const;
    });
    const view = clockView(tx.now, world.clock.reading().frozen);
    const clock = { id: world.name, names: [], view };
    return new Map<ObjectChange['type'], Map<string, WorldObject>>([
      ...types,
      ['clock', new Map([[world.name, clock]])],
    ]);
  });
}

/**
 * Replays a file and returns how some acts, such as those of a request, changed the state.
 * @throws DivergedError, NotReplayableError, ReproFileError
 */
export async function differenceOfActs(
  repro: Repro,
  acts: readonly number[],
): Promise<ObjectChange[]> {
  if (acts.length === 0) return [];
  const replay = await openFile(repro);
  try {
    const changes = new StateChanges(replay, acts);
    const last = Math.max(...acts);
    for await (const { input } of replay.reproduce(last, changes.before)) changes.after(input);
    return changes.list();
  } finally {
    await replay.close();
  }
}

/** How some acts of a replay change the state. */
export class StateChanges {
  readonly #replay: Replay;
  readonly #acts: ReadonlySet<number>;
  readonly #changed = new Map<string, Changed>();
  #old: WorldView = new Map();

  constructor(replay: Replay, acts: readonly number[]) {
    this.#replay = replay;
    this.#acts = new Set(acts);
  }

  readonly before = (input: InputRecord): void => {
    if (this.#isWanted(input)) this.#old = viewOf(this.#replay, input.at);
  };

  after(input: InputRecord): void {
    if (!this.#isWanted(input)) return;
    for (const change of changesOf(this.#old, viewOf(this.#replay, input.at))) {
      const key = `${change.type} ${change.id}`;
      this.#changed.set(key, { ...change, old: (this.#changed.get(key) ?? change).old });
    }
  }

  list(): ObjectChange[] {
    return [...this.#changed.values()].flatMap(describeChange);
  }

  #isWanted(input: InputRecord): boolean {
    return input.kind === 'act' && this.#acts.has(input.n);
  }
}

interface Changed {
  type: ObjectChange['type'];
  id: string;
  old: WorldObject | undefined;
  now: WorldObject | undefined;
}

/** Each partner has a balance. */
function isZero({ commission_cents, owed_cents }: View): boolean {
  return commission_cents === 0 && owed_cents === 0;
}

/** Returns the objects that differ between two views. */
function changesOf(before: WorldView, after: WorldView): Changed[] {
  return Array.from(before, ([type, olds]) => {
    const nows = after.get(type) ?? new Map<string, WorldObject>();
    return [...new Set([...olds.keys(), ...nows.keys()])].flatMap((id) => {
      const [old, now] = [olds.get(id), nows.get(id)];
      return jsonOf(old) === jsonOf(now) ? [] : [{ type, id, old, now }];
    });
  }).flat();
}

function jsonOf(object: WorldObject | undefined): string | undefined {
  return object && JSON.stringify(object.view);
}

function describeChange({ type, id, old, now }: Changed): ObjectChange[] {
  const fields = fieldsOf(shownOf(old), shownOf(now));
  if (Object.keys(fields).length === 0) return [];
  return [{ type, id, change: !old ? 'added' : now ? 'changed' : 'removed', fields }];
}

function shownOf(object: WorldObject | undefined): View {
  if (!object) return {};
  return JSON.parse(
    JSON.stringify(object.view, (name, value) => (LEFT_OUT.has(name) ? undefined : value)),
  );
}

function fieldsOf(old: View, now: View): ObjectChange['fields'] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const differing = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return Object.fromEntries(
    differing.map((name) => [name, [old[name] ?? null, now[name] ?? null]]),
  );
}

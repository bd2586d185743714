import { isoTime } from '../../kernel/time.ts';
import type { ActRecord, InputRecord, Repro } from './format.ts';
import { actsOf } from './places.ts';
import type { Replay } from './replay.ts';
import { inReplay } from './replay-file.ts';
import {
  OBJECT_TYPES,
  type ObjectChange,
  type ObjectTypeName,
  type View,
} from './world-objects.ts';

interface Viewed {
  type: ObjectChange['type'];
  id: string;
  view: View;
}

/** What the control API shows of a world, by type and id. */
type WorldView = ReadonlyMap<string, Viewed>;

/** Times and durations that tell nothing of what happened. */
const LEFT_OUT = new Set(['created_at', 'updated_at', 'at', 'duration_ms']);

const ALL_TYPES = Object.keys(OBJECT_TYPES) as ObjectTypeName[];
/** What expires. A stop of the clock changes nothing else, and a move of the clock can have thousands of stops. */
const EXPIRING_TYPES: readonly ObjectTypeName[] = ['quote', 'session'];

/** Reads all that the control API shows and an act can change, at the time of the act. */
function viewOf(replay: Replay, { at, cause }: ActRecord): WorldView {
  const { world, repro } = replay;
  const types = cause.type === 'clock.to' ? EXPIRING_TYPES : ALL_TYPES;
  return replay.readAt(at, (tx) => {
    const objects = types.flatMap((type) =>
      OBJECT_TYPES[type]
        .read(tx, repro.head.base_url)
        .map(({ id, view }): Viewed => ({ type, id, view })),
    );
    const clock = { now: isoTime(tx.now), frozen: world.clock.reading().frozen };
    objects.push({ type: 'clock', id: world.name, view: clock });
    return new Map(objects.map((each) => [`${each.type} ${each.id}`, each]));
  });
}

/**
 * Replays a file and returns how an input changed the state.
 * @throws DivergedError, NotReplayableError, ReproFileError
 */
export async function differenceOf(repro: Repro, input: InputRecord): Promise<ObjectChange[]> {
  const acts = actsOf(repro.inputs, input);
  if (acts.length === 0) return [];
  return inReplay(repro, async (replay) => {
    const changes = new StateChanges(replay, acts);
    for await (const done of replay.reproduce(acts.at(-1), changes.before)) {
      changes.after(done.input);
    }
    return changes.list();
  });
}

/** How some acts of a replay change the state; others may happen between them. */
export class StateChanges {
  readonly #replay: Replay;
  readonly #acts: ReadonlySet<number>;
  readonly #changed = new Map<string, { old: Viewed | undefined; now: Viewed | undefined }>();
  #old: WorldView = new Map();

  constructor(replay: Replay, acts: readonly number[]) {
    this.#replay = replay;
    this.#acts = new Set(acts);
  }

  readonly before = (input: InputRecord): void => {
    if (this.#isWanted(input)) this.#old = viewOf(this.#replay, input);
  };

  after(input: InputRecord): void {
    if (!this.#isWanted(input)) return;
    const view = viewOf(this.#replay, input);
    for (const key of new Set([...this.#old.keys(), ...view.keys()])) {
      const [old, now] = [this.#old.get(key), view.get(key)];
      if (JSON.stringify(old) === JSON.stringify(now)) continue;
      this.#changed.set(key, { old: (this.#changed.get(key) ?? { old }).old, now });
    }
  }

  list(): ObjectChange[] {
    return Array.from(this.#changed.values(), describeChange).filter(
      ({ fields, type }) =>
        Object.keys(fields).length > 0 && !(type === 'balance' && isZero(fields)),
    );
  }

  #isWanted(input: InputRecord): input is ActRecord {
    return input.kind === 'act' && this.#acts.has(input.n);
  }
}

function describeChange({ old, now }: { old: Viewed | undefined; now: Viewed | undefined }) {
  const { type, id } = (now ?? old) as Viewed;
  const change: ObjectChange['change'] = !old ? 'added' : now ? 'changed' : 'removed';
  return { type, id, change, fields: fieldsOf(shownOf(old), shownOf(now)) };
}

/** Each partner has a balance. */
function isZero({ commission_cents, owed_cents }: ObjectChange['fields']): boolean {
  return [commission_cents, owed_cents].every((values) => !values?.some(Boolean));
}

function shownOf(viewed: Viewed | undefined): View {
  if (!viewed) return {};
  return JSON.parse(
    JSON.stringify(viewed.view, (name, value) => (LEFT_OUT.has(name) ? undefined : value)),
  );
}

function fieldsOf(old: View, now: View): ObjectChange['fields'] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const differing = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return Object.fromEntries(
    differing.map((name) => [name, [old[name] ?? null, now[name] ?? null]]),
  );
}

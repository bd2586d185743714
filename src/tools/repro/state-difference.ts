import type { Tx } from '../../store/transaction.ts';
import { DivergedError } from './diverged.ts';
import type { Repro } from './format.ts';
import type { Divergence } from './outputs.ts';
import type { Performed, Replay } from './replay.ts';
import { compared, openFile } from './replay-file.ts';
import { clockView, OBJECT_TYPES, type ObjectTypeName, type View } from './world-objects.ts';

/** How an act changed an object. */
export interface ObjectChange {
  type: ObjectTypeName | 'clock';
  id: string;
  change: 'added' | 'changed' | 'removed';
  /** Old and new value of each field that differs; null where there is none. */
  fields: Record<string, [old: unknown, now: unknown]>;
}

interface Shown {
  type: ObjectChange['type'];
  id: string;
  json: string;
}

/** What the control API shows of a world, by type and id. */
export type WorldView = ReadonlyMap<string, Shown>;

/** Times and durations that tell nothing of what happened. */
const LEFT_OUT = new Set(['created_at', 'updated_at', 'at', 'duration_ms']);

/** Reads all that the control API shows, at a real time. */
export function viewOf(replay: Replay, at: number): WorldView {
  const { world } = replay;
  return replay.readAt(at, (tx) => {
    const shown = new Map<string, Shown>();
    const add = (type: Shown['type'], id: string, view: View) => {
      shown.set(`${type} ${id}`, { type, id, json: JSON.stringify(view) });
    };
    for (const [type, { id, view }] of allObjects(tx, replay.recorded.settings.baseUrl)) {
      if (type !== 'balance' || view.commission_cents !== 0 || view.owed_cents !== 0) {
        add(type, id, view);
      }
    }
    add('clock', world.name, clockView(tx.now, world.clock.reading().frozen));
    return shown;
  });
}

function* allObjects(tx: Tx, baseUrl: string) {
  for (const [type, { read }] of Object.entries(OBJECT_TYPES)) {
    for (const object of read(tx, baseUrl)) yield [type as ObjectTypeName, object] as const;
  }
}

/** Returns what differs between two views. */
export function differenceOf(before: WorldView, after: WorldView): ObjectChange[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key): ObjectChange[] => {
    const [old, now] = [before.get(key), after.get(key)];
    const one = old ?? now;
    if (!one || old?.json === now?.json) return [];
    const { type, id } = one;
    const fields = fieldsOf(parsed(old), parsed(now));
    if (Object.keys(fields).length === 0) return [];
    const change = !old ? 'added' : now ? 'changed' : 'removed';
    return [{ type, id, change, fields }];
  });
}

function parsed(shown: Shown | undefined): View {
  const left = (name: string, value: unknown) => (LEFT_OUT.has(name) ? undefined : value);
  return shown ? (JSON.parse(shown.json, left) as View) : {};
}

function fieldsOf(old: View, now: View): ObjectChange['fields'] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const differing = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return Object.fromEntries(
    differing.map((name) => [name, [old[name] ?? null, now[name] ?? null]]),
  );
}

/**
 * Replays a file and returns how some acts, such as those of a request, changed the state.
 * @throws DivergedError, NotReplayableError, ReproFileError
 */
export async function differenceOfActs(
  repro: Repro,
  acts: readonly number[],
): Promise<ObjectChange[]> {
  const replay = await openFile(repro);
  try {
    return await performComparing(replay, acts, ({ divergence }) => {
      if (divergence) throw new DivergedError(divergence);
    });
  } finally {
    await replay.close();
  }
}

/**
 * Performs what comes up to the last of some acts, and returns how these changed the state.
 * @param performed called with each act and read
 */
export async function performComparing(
  replay: Replay,
  acts: readonly number[],
  performed: (each: Performed & { divergence: Divergence | undefined }) => void,
): Promise<ObjectChange[]> {
  const wanted = new Set(acts);
  const before = new Map<string, Shown | undefined>();
  const after = new Map<string, Shown | undefined>();
  const ahead = () => {
    const act = replay.upcomingAct;
    return act && wanted.has(act.n) ? viewOf(replay, act.at) : undefined;
  };
  let old = ahead();
  for await (const each of compared(replay, undefined, Math.max(...acts))) {
    performed(each);
    if (old && each.input.kind === 'act') {
      const now = viewOf(replay, each.input.at);
      for (const key of new Set([...old.keys(), ...now.keys()])) {
        if (old.get(key)?.json === now.get(key)?.json) continue;
        if (!before.has(key)) before.set(key, old.get(key));
        after.set(key, now.get(key));
      }
    }
    old = ahead();
  }
  return differenceOf(present(before), present(after));
}

function present(shown: ReadonlyMap<string, Shown | undefined>): WorldView {
  return new Map([...shown].flatMap(([key, each]) => (each ? [[key, each]] : [])));
}

import { notFound, validationError } from '../../kernel/errors.ts';
import { isoTime } from '../../kernel/time.ts';
import { lookUp, meaning, requireField } from './fields.ts';
import type { InputRecord, Repro } from './format.ts';
import { comparePlaces, numberOf, placesOf } from './places.ts';
import type { Replay } from './replay.ts';
import { inReplay } from './replay-file.ts';
import { requestsOf, searchedText } from './select.ts';
import { OBJECT_TYPES, type ObjectTypeName, type WorldObject } from './world-objects.ts';

/** When a value changed. */
export interface ValueChange {
  /** The act that changed it; the last one before it changed by passing time. */
  n: number;
  /** Place of the first input that sees a value that changed by passing time. */
  until?: string;
  request_id: string | null;
  /** `request`, a kind of scheduled work, or `time`. */
  cause: string;
  /** Sandbox time. */
  now: string;
  old: unknown;
  new: unknown;
}

/** What `repro why --json` prints. */
export interface Why {
  path: string;
  id: string;
  value: unknown;
  /** Null if the base has set it. */
  last: ValueChange | null;
  /** Oldest first. */
  changes: ValueChange[];
}

export interface ValuePath {
  type: ObjectTypeName;
  id: string | undefined;
  field: string;
}

const TYPES = Object.keys(OBJECT_TYPES).filter((type) => type !== 'fault') as ObjectTypeName[];
const MAX_LISTED = 10;

/** Reads `TYPE.FIELD` or `TYPE[ID].FIELD`. @throws validation_error */
export function parsePath(path: string): ValuePath {
  const [, name = '', id, field = ''] = /^([^[.]*)(?:\[([^\]]+)\])?\.(.+)$/.exec(path) ?? [];
  const type = TYPES.find((each) => each === name);
  if (type) return { type, id, field };
  const types = TYPES.join(', ');
  if (field === '')
    throw validationError(`path: must be TYPE.FIELD or TYPE[ID].FIELD, TYPE: ${types}`);
  throw validationError(`path: unknown type ${name};${meaning(name, TYPES)} types: ${types}`);
}

interface Target {
  input: InputRecord;
  place: string;
}

/**
 * Replays a file and returns what set a value, as the input at a place saw it. Without an ID, a replay before finds the object.
 * @throws validation_error, not_found, DivergedError, NotReplayableError, ReproFileError
 */
export async function why(repro: Repro, path: ValuePath, target: Target): Promise<Why> {
  const id = path.id ?? (await inReplay(repro, (replay) => namedBy(replay, path.type, target)));
  return inReplay(repro, (replay) => follow(replay, { ...path, id }, target));
}

/** The last act that an input sees. */
function lastBefore({ repro }: Replay, place: string): number {
  const before = repro.inputs.findLast(
    (each) => each.kind === 'act' && comparePlaces(String(each.n), place) < 0,
  );
  return before ? numberOf(before) : 0;
}

/** Returns the ID of the object that the target names. @throws validation_error if it names none or several */
async function namedBy(
  replay: Replay,
  type: ObjectTypeName,
  { input, place }: Target,
): Promise<string> {
  for await (const _ of replay.reproduce(lastBefore(replay, place)));
  const objects = read(replay, input.at, type);
  const text = searchedText(input);
  // By ID or token if there are any.
  const named =
    [0, 1]
      .map((weight) =>
        objects.filter(({ names }) => names[weight]?.some((name) => text.includes(name))),
      )
      .find((each) => each.length > 0) ?? [];
  const [only, ...others] = named;
  if (only && others.length === 0) return only.id;
  const what = only ? 'several' : `no ${type}`;
  const listed = (only ? named : objects).map(({ id }) => id);
  throw validationError(`path: the target names ${what}; pass ${type}[ID]: ${someOf(listed)}`);
}

/** Performs what comes before the target, and follows a value. */
async function follow(
  replay: Replay,
  { type, id, field }: ValuePath & { id: string },
  target: Target,
): Promise<Why> {
  const { inputs } = replay.repro;
  const places = placesOf(inputs);
  const requestIds = new Map(
    requestsOf(inputs).flatMap(({ acts, request_id }) => acts.map((n) => [n, request_id])),
  );
  const { clock } = replay.world;
  const valueAt = (at: number) => {
    const [object] = read(replay, at, type, id);
    return { object, value: object && lookUp(object.view, field).value };
  };
  const changes: ValueChange[] = [];
  const start = inputs[0]?.at ?? target.input.at;
  let seen = clock.now(start);
  let known = valueAt(start);
  let existed = known.object !== undefined;
  let lastAct = 0;
  const note = (at: number, change: Omit<ValueChange, 'request_id' | 'old' | 'new'>) => {
    seen = clock.now(at);
    const next = valueAt(at);
    const [old, now] = [known.value, next.value];
    known = next;
    existed ||= next.object !== undefined;
    if (JSON.stringify(old) === JSON.stringify(now)) return;
    const request_id = (change.cause === 'request' && requestIds.get(change.n)) || null;
    changes.push({ ...change, request_id, old: old ?? null, new: now ?? null });
  };
  const timePassed = (seenBy: InputRecord) => {
    const now = clock.now(seenBy.at);
    if (now === seen) return;
    const until = places.get(seenBy) ?? '';
    note(seenBy.at, { n: lastAct, until, cause: 'time', now: isoTime(now) });
  };
  for await (const { input } of replay.reproduce(lastBefore(replay, target.place), timePassed)) {
    if (input.kind === 'request') continue;
    const { cause, n, now } = input;
    lastAct = n;
    note(input.at, { n, cause: cause.type, now: isoTime(now) });
  }
  timePassed(target.input);
  if (!known.object) throw await missing(replay, { type, id }, { place: target.place, existed });
  const value = requireField(known.object.view, field, `path: ${type} has no field`) ?? null;
  return { path: `${type}.${field}`, id, value, last: changes.at(-1) ?? null, changes };
}

/** Says why an object is missing: another time, or an unknown ID. */
async function missing(
  replay: Replay,
  { type, id }: { type: ObjectTypeName; id: string },
  { place, existed }: { place: string; existed: boolean },
): Promise<Error> {
  const at = `path: ${type} ${id} does not exist before #${place}`;
  if (existed) return notFound(`${at}: it was removed`);
  for await (const { input } of replay.perform()) {
    if (input.kind !== 'act' || read(replay, input.at, type, id).length === 0) continue;
    return notFound(`${at}: #${input.n} adds it`);
  }
  const ids = read(replay, 0, type).map((each) => each.id);
  const all = `${type === 'case' ? 'cases' : `${type}s`}: ${someOf(ids)}`;
  return validationError(`path: unknown ${type} ${id};${meaning(id, ids)} ${all}`);
}

function read(replay: Replay, at: number, type: ObjectTypeName, id?: string): WorldObject[] {
  const { base_url } = replay.repro.head;
  return replay.readAt(at, (tx) => OBJECT_TYPES[type].read(tx, base_url, id));
}

function someOf(ids: readonly string[]): string {
  if (ids.length === 0) return 'there is none';
  const more = ids.length > MAX_LISTED ? `, and ${ids.length - MAX_LISTED} more` : '';
  return ids.slice(0, MAX_LISTED).join(', ') + more;
}

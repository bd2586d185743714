import { notFound, validationError } from '../../kernel/errors.ts';
import { isoTime } from '../../kernel/time.ts';
import { lookUp, nearestHint, requireField } from './fields.ts';
import type { InputRecord, Repro } from './format.ts';
import { actNumberOf, comparePlaces, placesOf } from './places.ts';
import type { Replay } from './replay.ts';
import { inReplay } from './replay-file.ts';
import { requestsOf, searchedText } from './select.ts';
import { OBJECT_TYPES, type ObjectTypeName, type WorldObject } from './world-objects.ts';

export interface ValueChange {
  /** The act that changed the value, or the last act before passing time changed it. */
  n: number;
  /** Place of the first input that read the value after passing time changed it. */
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
export interface ValueCause {
  path: string;
  id: string;
  value: unknown;
  /** Null if the base set the value. */
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
  const type = TYPES.find((type) => type === name);
  if (type) return { type, id, field };
  const types = TYPES.join(', ');
  if (field === '')
    throw validationError(`path: must be TYPE.FIELD or TYPE[ID].FIELD, TYPE: ${types}`);
  throw validationError(`path: unknown type ${name};${nearestHint(name, TYPES)} types: ${types}`);
}

interface Target {
  input: InputRecord;
  place: string;
}

/**
 * Replays a file and returns what set a value, as read by the target. Without an ID, an earlier replay finds the object.
 * @throws validation_error, not_found, DivergedError, NotReplayableError, ReproFileError
 */
export async function findCause(
  repro: Repro,
  path: ValuePath,
  target: Target,
): Promise<ValueCause> {
  const id = path.id ?? (await inReplay(repro, (replay) => findNamed(replay, path.type, target)));
  return inReplay(repro, (replay) => traceValue(replay, { ...path, id }, target));
}

/** Returns the number of the last act before a place; 0 if there is none. */
function lastActBefore({ repro }: Replay, place: string): number {
  const before = repro.inputs.findLast(
    (input) => input.kind === 'act' && comparePlaces(String(input.n), place) < 0,
  );
  return before ? actNumberOf(before) : 0;
}

/** Returns the ID of the object that the target names. @throws validation_error if it names none or several */
async function findNamed(
  replay: Replay,
  type: ObjectTypeName,
  { input, place }: Target,
): Promise<string> {
  for await (const _ of replay.reproduce(lastActBefore(replay, place)));
  const objects = read(replay, input.at, type);
  const text = searchedText(input);
  // By ID or token, else by weaker names.
  const matches =
    [0, 1]
      .map((weight) =>
        objects.filter(({ names }) => names[weight]?.some((name) => text.includes(name))),
      )
      .find((objectsByWeight) => objectsByWeight.length > 0) ?? [];
  const [match, ...otherMatches] = matches;
  if (match && otherMatches.length === 0) return match.id;
  const problem = match ? 'several' : `no ${type}`;
  const ids = (match ? matches : objects).map(({ id }) => id);
  throw validationError(`path: the target names ${problem}; pass ${type}[ID]: ${listIds(ids)}`);
}

/** Replays up to the target and records the changes of a value. */
async function traceValue(
  replay: Replay,
  { type, id, field }: ValuePath & { id: string },
  target: Target,
): Promise<ValueCause> {
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
  let lastTime = clock.now(start);
  let current = valueAt(start);
  let existed = current.object !== undefined;
  let lastAct = 0;
  const recordChange = (at: number, change: Omit<ValueChange, 'request_id' | 'old' | 'new'>) => {
    lastTime = clock.now(at);
    const next = valueAt(at);
    const [old, now] = [current.value, next.value];
    current = next;
    existed ||= next.object !== undefined;
    if (JSON.stringify(old) === JSON.stringify(now)) return;
    const request_id = (change.cause === 'request' && requestIds.get(change.n)) || null;
    changes.push({ ...change, request_id, old: old ?? null, new: now ?? null });
  };
  const recordTime = (input: InputRecord) => {
    const now = clock.now(input.at);
    if (now === lastTime) return;
    const until = places.get(input) ?? '';
    recordChange(input.at, { n: lastAct, until, cause: 'time', now: isoTime(now) });
  };
  for await (const { input } of replay.reproduce(lastActBefore(replay, target.place), recordTime)) {
    if (input.kind === 'request') continue;
    const { cause, n, now } = input;
    lastAct = n;
    recordChange(input.at, { n, cause: cause.type, now: isoTime(now) });
  }
  recordTime(target.input);
  if (!current.object)
    throw await missingError(replay, { type, id }, { place: target.place, existed });
  const value = requireField(current.object.view, field, `path: ${type} has no field`) ?? null;
  return { path: `${type}.${field}`, id, value, last: changes.at(-1) ?? null, changes };
}

/** Explains why an object is missing: it exists at another time, or the ID is unknown. */
async function missingError(
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
  const ids = read(replay, 0, type).map((object) => object.id);
  const existingIds = `${type === 'case' ? 'cases' : `${type}s`}: ${listIds(ids)}`;
  return validationError(`path: unknown ${type} ${id};${nearestHint(id, ids)} ${existingIds}`);
}

function read(replay: Replay, at: number, type: ObjectTypeName, id?: string): WorldObject[] {
  const { base_url } = replay.repro.head;
  return replay.readAt(at, (tx) => OBJECT_TYPES[type].read(tx, base_url, id));
}

function listIds(ids: readonly string[]): string {
  if (ids.length === 0) return 'there is none';
  const suffix = ids.length > MAX_LISTED ? `, and ${ids.length - MAX_LISTED} more` : '';
  return ids.slice(0, MAX_LISTED).join(', ') + suffix;
}

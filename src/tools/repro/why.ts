import { isoTime } from '../../kernel/time.ts';
import { lookUp, meaning, PathError, requireField } from './fields.ts';
import { textOf as bodyText, type Repro } from './format.ts';
import { comparePlaces, placesOf } from './places.ts';
import type { ActRecord, InputRecord } from './recording/recording.ts';
import type { Replay } from './replay.ts';
import { openFile } from './replay-file.ts';
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

/** The object does not exist when it is asked for. */
export class NoSuchObjectError extends Error {
  override readonly name = 'NoSuchObjectError';
}

export interface ValuePath {
  type: ObjectTypeName;
  id: string | undefined;
  field: string;
}

const TYPES = Object.keys(OBJECT_TYPES).filter((type) => type !== 'fault') as ObjectTypeName[];
const MAX_LISTED = 10;

/** Reads `TYPE.FIELD` or `TYPE[ID].FIELD`. @throws PathError */
export function parsePath(path: string): ValuePath {
  const [, name = '', id, field = ''] = /^([^[.]*)(?:\[([^\]]+)\])?\.(.+)$/.exec(path) ?? [];
  const type = TYPES.find((each) => each === name);
  if (type) return { type, id, field };
  const types = TYPES.join(', ');
  if (field === '')
    throw new PathError(`path: must be TYPE.FIELD or TYPE[ID].FIELD, TYPE: ${types}`);
  throw new PathError(`path: unknown type ${name};${meaning(name, TYPES)} types: ${types}`);
}

interface Target {
  input: InputRecord;
  place: string;
}

/**
 * Replays a file and returns what set a value, as the input at a place saw it.
 * @throws PathError, NoSuchObjectError, DivergedError, NotReplayableError, ReproFileError
 */
export async function why(repro: Repro, path: ValuePath, target: Target): Promise<Why> {
  const replay = await openFile(repro);
  let named: string;
  try {
    const found = await whyIn(replay, path, target);
    if (typeof found !== 'string') return found;
    named = found;
  } finally {
    await replay.close();
  }
  return why(repro, { ...path, id: named }, target);
}

/** Returns the ID of the object that the target names, if another one was followed. */
async function whyIn(
  replay: Replay,
  { type, id: given, field }: ValuePath,
  target: Target,
): Promise<Why | string> {
  const { input, place } = target;
  const written = given ?? writtenId(type, input);
  const [first] = replay.recorded.inputs;
  // The ID of a webhook is that of a balance, which is there before it.
  const guessed = type === 'webhook' ? 'balance' : type;
  const [only, ...others] = written ? [] : namedBy(input, read(replay, first?.at ?? 0, guessed));
  const id = written ?? (others.length === 0 ? only?.id : undefined);
  const { object, existed, changes } = await follow(replay, { type, id, field }, target);
  if (given === undefined && !(written && object)) {
    const named = requireNamed(type, input, read(replay, input.at, type));
    if (named !== id) return named;
  }
  if (!object) throw await missing(replay, { type, id: id ?? '' }, { place, existed });
  const value = requireField(object.view, field, `path: ${type} has no field`) ?? null;
  return {
    ...{ path: `${type}.${field}`, id: object.id, value },
    ...{ last: changes.at(-1) ?? null, changes },
  };
}

const ID_FORMS: Partial<Record<ObjectTypeName, RegExp>> = {
  order: /\bord_[0-9a-z]+/g,
  quote: /\bqt_[0-9a-z]+/g,
  delivery: /\bdlv_[0-9a-z]+/g,
  session: /\bcs_[0-9a-z]+/g,
  case: /\bbrk_[0-9a-z]+/g,
};

/** The texts of an input that can name an object. */
function textOf(input: InputRecord): string {
  if (input.kind === 'act') {
    const { cause, params } = input;
    return `${'id' in cause ? cause.id : ''} ${params?.body ?? ''}`;
  }
  const { target, body, response } = input;
  return `${target} ${bodyText(body)} ${bodyText(response)}`;
}

/** Returns the only ID of a type in the texts of an input, and in its tokens. */
function writtenId(type: ObjectTypeName, input: InputRecord): string | undefined {
  const form = ID_FORMS[type];
  const text = textOf(input);
  const tokens = text.match(/[\w-]{24,}/g) ?? [];
  const decoded = tokens.map((token) => Buffer.from(token, 'base64url').toString('latin1'));
  const [id, ...others] = new Set(form ? `${text} ${decoded.join(' ')}`.match(form) : []);
  return others.length === 0 ? id : undefined;
}

/** Returns the objects that an input names, by ID or token if there are any. */
function namedBy(input: InputRecord, objects: readonly WorldObject[]): readonly WorldObject[] {
  const text = textOf(input) + (input.kind === 'request' ? JSON.stringify(input.headers) : '');
  const named = [0, 1].map((weight) =>
    objects.filter(({ names }) => names[weight]?.some((name) => text.includes(name))),
  );
  return named.find((each) => each.length > 0) ?? [];
}

/** Returns the ID of the object that the target names. @throws PathError if it names none or several */
function requireNamed(
  type: ObjectTypeName,
  input: InputRecord,
  objects: readonly WorldObject[],
): string {
  const named = namedBy(input, objects);
  const [only, ...others] = named;
  if (only && others.length === 0) return only.id;
  const what = only ? 'several' : `no ${type}`;
  const listed = (only ? named : objects).map(({ id }) => id);
  throw new PathError(`path: the target names ${what}; pass ${type}[ID]: ${someOf(listed)}`);
}

interface History {
  /** As the target sees it. */
  object: WorldObject | undefined;
  /** Whether there was one before. */
  existed: boolean;
  changes: ValueChange[];
}

/** Performs what comes before the target, and follows a value. */
async function follow(
  replay: Replay,
  { type, id, field }: ValuePath,
  target: Target,
): Promise<History> {
  const { inputs } = replay.recorded;
  const places = placesOf(inputs);
  const last = lastBefore(inputs, target.place);
  const { clock } = replay.world;
  const valueAt = (at: number) => {
    const [object] = id === undefined ? [] : read(replay, at, type, id);
    const { value } = object ? lookUp(object.view, field) : {};
    return { object, value };
  };
  const changes: ValueChange[] = [];
  const start = inputs[0]?.at ?? target.input.at;
  let seen = clock.now(start);
  let known = valueAt(start);
  let existed = known.object !== undefined;
  let lastAct = 0;
  const note = (at: number, change: Omit<ValueChange, 'old' | 'new'>) => {
    seen = clock.now(at);
    const next = valueAt(at);
    const [old, now] = [known.value, next.value];
    known = next;
    existed ||= next.object !== undefined;
    if (JSON.stringify(old) === JSON.stringify(now)) return;
    changes.push({ ...change, old: old ?? null, new: now ?? null });
  };
  const timePassed = (seenBy: InputRecord) => {
    const now = clock.now(seenBy.at);
    if (now === seen) return;
    const until = places.get(seenBy) ?? '';
    note(seenBy.at, { n: lastAct, until, request_id: null, cause: 'time', now: isoTime(now) });
  };
  for await (const { input } of replay.reproduce(last, timePassed)) {
    if (input.kind === 'request') continue;
    const { cause, n, now } = input;
    lastAct = n;
    const request_id = requestIdOf(inputs, input);
    note(input.at, { n, request_id, cause: cause.type, now: isoTime(now) });
  }
  timePassed(target.input);
  return { object: known.object, existed, changes };
}

/** The last act that an input sees. */
function lastBefore(inputs: readonly InputRecord[], place: string): number {
  const before = inputs.findLast(
    (each): each is ActRecord => each.kind === 'act' && comparePlaces(String(each.n), place) < 0,
  );
  return before?.n ?? 0;
}

function requestIdOf(inputs: readonly InputRecord[], { cause }: ActRecord): string | null {
  if (cause.type !== 'request') return null;
  const request = inputs.find((each) => each.kind === 'request' && each.acts[0] === cause.of);
  return request?.kind === 'request' ? request.request_id : null;
}

/** Says why an object is missing: another time, or an unknown ID. */
async function missing(
  replay: Replay,
  { type, id }: { type: ObjectTypeName; id: string },
  { place, existed }: { place: string; existed: boolean },
): Promise<Error> {
  const at = `path: ${type} ${id} does not exist before #${place}`;
  if (existed) return new NoSuchObjectError(`${at}: it was removed`);
  for await (const { input } of replay.perform()) {
    if (input.kind !== 'act' || read(replay, input.at, type, id).length === 0) continue;
    return new NoSuchObjectError(`${at}: #${input.n} adds it`);
  }
  const ids = read(replay, 0, type).map((each) => each.id);
  const all = `${type === 'case' ? 'cases' : `${type}s`}: ${someOf(ids)}`;
  return new PathError(`path: unknown ${type} ${id};${meaning(id, ids)} ${all}`);
}

function read(replay: Replay, at: number, type: ObjectTypeName, id?: string): WorldObject[] {
  const { base_url } = replay.recorded.settings;
  return replay.readAt(at, (tx) => OBJECT_TYPES[type].read(tx, base_url, id));
}

function someOf(ids: readonly string[]): string {
  if (ids.length === 0) return 'there is none';
  const more = ids.length > MAX_LISTED ? `, and ${ids.length - MAX_LISTED} more` : '';
  return ids.slice(0, MAX_LISTED).join(', ') + more;
}

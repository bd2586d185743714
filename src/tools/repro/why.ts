import { isoTime } from '../../kernel/time.ts';
import { DivergedError } from './diverged.ts';
import { lookUp, meaning, PathError, requireField } from './fields.ts';
import { textOf } from './filter-inputs.ts';
import type { Repro } from './format.ts';
import { comparePlaces, placesOf } from './places.ts';
import type { ActRecord, InputRecord } from './recording/recording.ts';
import type { Replay } from './replay.ts';
import { compared, openFile } from './replay-file.ts';
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

/**
 * Replays a file and returns what set a value, as the input at a place saw it.
 * @throws PathError, NoSuchObjectError, DivergedError, NotReplayableError, ReproFileError
 */
export async function why(
  repro: Repro,
  { type, id: given, field }: ValuePath,
  { input, place }: { input: InputRecord; place: string },
): Promise<Why> {
  const target = { input, last: lastBefore(repro.inputs, place) };
  // A second replay, unless the ID is in the target.
  let id = given ?? writtenId(type, input) ?? (await objectOf(repro, type, target));
  let history = await valuesOf(repro, { type, id, field }, target);
  if (!history.object && given === undefined) {
    id = await objectOf(repro, type, target);
    history = await valuesOf(repro, { type, id, field }, target);
  }
  const { object } = history;
  if (!object) throw await missing(repro, { type, id }, { place, ...history });
  const value = requireField(object.view, field, `path: ${type} has no field`);
  const { changes } = history;
  return {
    path: `${type}.${field}`,
    id,
    value: value ?? null,
    last: changes.at(-1) ?? null,
    changes,
  };
}

interface Target {
  input: InputRecord;
  /** The last act before it. */
  last: number;
}

/** The last act that an input sees. */
function lastBefore(inputs: readonly InputRecord[], place: string): number {
  const before = inputs.findLast(
    (each): each is ActRecord => each.kind === 'act' && comparePlaces(String(each.n), place) < 0,
  );
  return before?.n ?? 0;
}

const ID_FORMS: Partial<Record<ObjectTypeName, RegExp>> = {
  order: /\bord_[0-9a-z]+/g,
  quote: /\bqt_[0-9a-z]+/g,
  delivery: /\bdlv_[0-9a-z]+/g,
  session: /\bcs_[0-9a-z]+/g,
  case: /\bbrk_[0-9a-z]+/g,
};

/** Returns the only ID of a type in the texts of an input, and in its tokens. */
function writtenId(type: ObjectTypeName, input: InputRecord): string | undefined {
  const form = ID_FORMS[type];
  const text = textOf(input);
  const tokens = text.match(/[\w-]{24,}/g) ?? [];
  const decoded = tokens.map((token) => Buffer.from(token, 'base64url').toString('latin1'));
  const [id, ...others] = new Set(form ? `${text} ${decoded.join(' ')}`.match(form) : []);
  return others.length === 0 ? id : undefined;
}

/** Returns the ID of the object that the target names. @throws PathError if it names none or several */
async function objectOf(repro: Repro, type: ObjectTypeName, { input, last }: Target) {
  const replay = await openFile(repro);
  try {
    for await (const { divergence } of compared(replay, undefined, last)) {
      if (divergence) throw new DivergedError(divergence);
    }
    const text = textOf(input) + (input.kind === 'request' ? JSON.stringify(input.headers) : '');
    const objects = read(replay, input.at, type);
    const named = [0, 1]
      .map((weight) =>
        objects.filter(({ names }) => names[weight]?.some((name) => text.includes(name))),
      )
      .find((each) => each.length > 0);
    if (named?.length === 1 && named[0]) return named[0].id;
    const listed = (named ?? objects).map((each) => each.id);
    throw new PathError(
      named
        ? `path: the target names several; pass ${type}[ID]: ${someOf(listed)}`
        : `path: the target names no ${type}; pass ${type}[ID]: ${someOf(listed)}`,
    );
  } finally {
    await replay.close();
  }
}

interface History {
  /** As the target sees it. */
  object: WorldObject | undefined;
  /** Whether there was one before. */
  existed: boolean;
  changes: ValueChange[];
}

/** Follows a value up to the target. */
async function valuesOf(
  repro: Repro,
  { type, id, field }: ValuePath & { id: string },
  { input: target, last }: Target,
): Promise<History> {
  const replay = await openFile(repro);
  try {
    const places = placesOf(repro.inputs);
    const valueAt = (at: number) => {
      const [object] = read(replay, at, type, id);
      return { object, value: object ? lookUp(object.view, field).value : undefined };
    };
    const changes: ValueChange[] = [];
    let known = valueAt(replay.upcoming?.at ?? target.at);
    let existed = known.object !== undefined;
    let lastAct = 0;
    const note = (next: typeof known, change: Omit<ValueChange, 'old' | 'new'>) => {
      const [old, now] = [known.value, next.value];
      known = next;
      existed ||= next.object !== undefined;
      if (JSON.stringify(old) === JSON.stringify(now)) return;
      changes.push({ ...change, old: old ?? null, new: now ?? null });
    };
    const timePassed = (seenBy: InputRecord) => {
      const next = valueAt(seenBy.at);
      const now = isoTime(replay.readAt(seenBy.at, (tx) => tx.now));
      const until = places.get(seenBy) ?? '';
      note(next, { n: lastAct, until, request_id: null, cause: 'time', now });
    };
    for await (const { input, divergence } of compared(replay, undefined, last)) {
      if (divergence) throw new DivergedError(divergence);
      if (input.kind === 'act') {
        lastAct = input.n;
        const { cause, n, now } = input;
        const request_id = requestIdOf(repro.inputs, input);
        note(valueAt(input.at), { n, request_id, cause: cause.type, now: isoTime(now) });
      }
      const { upcoming } = replay;
      if (upcoming && upcoming !== target && isBefore(upcoming, last)) timePassed(upcoming);
    }
    timePassed(target);
    return { object: known.object, existed, changes };
  } finally {
    await replay.close();
  }
}

function isBefore(input: InputRecord, last: number): boolean {
  return (input.kind === 'act' ? input.n : (input.acts[0] ?? input.after)) <= last;
}

function requestIdOf(inputs: readonly InputRecord[], { cause }: ActRecord): string | null {
  if (cause.type !== 'request') return null;
  const request = inputs.find((each) => each.kind === 'request' && each.acts[0] === cause.of);
  return request?.kind === 'request' ? request.request_id : null;
}

/** Says why an object is missing: another time, or an unknown ID. */
async function missing(
  repro: Repro,
  { type, id }: { type: ObjectTypeName; id: string },
  { place, existed }: { place: string; existed: boolean },
): Promise<Error> {
  const at = `path: ${type} ${id} does not exist before #${place}`;
  if (existed) return new NoSuchObjectError(`${at}: it was removed`);
  const replay = await openFile(repro);
  try {
    for await (const { input, divergence } of compared(replay)) {
      if (divergence) break;
      if (input.kind !== 'act' || read(replay, input.at, type, id).length === 0) continue;
      return new NoSuchObjectError(`${at}: #${input.n} adds it`);
    }
    const ids = read(replay, 0, type).map((each) => each.id);
    return new PathError(
      `path: unknown ${type} ${id};${meaning(id, ids)} ${type === 'case' ? 'cases' : `${type}s`}: ${someOf(ids)}`,
    );
  } finally {
    await replay.close();
  }
}

function read(replay: Replay, at: number, type: ObjectTypeName, id?: string): WorldObject[] {
  const { baseUrl } = replay.recorded.settings;
  return replay.readAt(at, (tx) => OBJECT_TYPES[type].read(tx, baseUrl, id));
}

function someOf(ids: readonly string[]): string {
  if (ids.length === 0) return 'there is none';
  const more = ids.length > MAX_LISTED ? `, and ${ids.length - MAX_LISTED} more` : '';
  return ids.slice(0, MAX_LISTED).join(', ') + more;
}

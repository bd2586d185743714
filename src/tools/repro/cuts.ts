import { formatDuration, parseDuration } from '../../kernel/time.ts';
import { bytesOf, type InputRecord, type RequestRecord } from './format.ts';
import { parsedJson } from './limits.ts';
import { keyOf } from './operation.ts';

/** How often a name may occur among the inputs to lead from one to another. */
const OCCURRENCES = [4, 16, 64, Number.POSITIVE_INFINITY];

/**
 * Guesses what led to the target, from few inputs to many: those that share IDs, domains, keys or nonces with it or with one
 * of them, without and with what names nothing, such as a clock move.
 */
export function related(inputs: readonly InputRecord[], target: InputRecord): InputRecord[][] {
  const named = new Map([...inputs, target].map((each) => [each, namesIn(each)]));
  const pairs = [...named].flatMap(([input, { names }]) =>
    Array.from(names, (name) => ({ name, input })),
  );
  const byName = Map.groupBy(pairs, ({ name }) => name);
  const guesses = OCCURRENCES.flatMap((limit) => {
    const found = new Set([target]);
    const left = new Map(byName);
    for (const input of found) {
      const { names = [], key = '' } = named.get(input) ?? {};
      for (const name of [...names, key]) {
        const others = left.get(name) ?? [];
        left.delete(name);
        if (others.length <= limit) for (const other of others) found.add(other.input);
      }
    }
    const isFound = (each: InputRecord) => found.has(each);
    return [
      inputs.filter(isFound),
      inputs.filter((each) => isFound(each) || named.get(each)?.names.size === 0),
    ];
  });
  return guesses
    .sort((one, other) => one.length - other.length)
    .filter(({ length }, n) => length > (guesses[n - 1]?.length ?? -1) && length < inputs.length);
}

function isWrite(input: InputRecord): boolean {
  return input.kind === 'request' && input.method !== 'GET';
}

interface Names {
  /** IDs, tokens and domains. */
  names: ReadonlySet<string>;
  /** Of the credential: it leads to what makes or changes it, but not to its other requests. */
  key?: string | undefined;
}

function namesIn(input: InputRecord): Names {
  if (input.kind === 'act') {
    const { cause, params } = input;
    return { names: wordsIn(`${'id' in cause ? cause.id : ''} ${params?.body ?? ''}`) };
  }
  const { target, headers, body, response } = input;
  const key = keyOf(input);
  const sent = headers.map(([, value]) => (value === key ? '' : value));
  // A list that is read names much that it has nothing to do with.
  const received = isWrite(input) && response && 'body' in response ? response.body : null;
  const text = received && !('bytes' in received) ? bytesOf(received) : '';
  return { names: wordsIn(`${target} ${sent.join(' ')} ${bytesOf(body)} ${text}`), key };
}

/** A time tells nothing: inputs of one hour share it. */
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function wordsIn(text: string): Set<string> {
  const words = text.replace(TIMES, ' ').match(/[\w.-]{4,}/g) ?? [];
  return new Set(words.filter((word) => /\.|\d/.test(word) && !/^[\d.-]+$/.test(word)));
}

/** A part of a request that may be cut. */
export interface Part {
  name: string;
  /** Returns the same request if it has no such part. */
  without(request: RequestRecord): RequestRecord;
}

/** The fields of a JSON body, outer ones first. */
export function fieldsOf(request: RequestRecord): Part[] {
  return paths(jsonOf(request)).map((path) => ({
    name: JSON.stringify(path),
    without: (other) => {
      const json = jsonOf(other);
      const smaller = withoutPath(json, path);
      return smaller === json ? other : { ...other, body: { text: JSON.stringify(smaller) } };
    },
  }));
}

export function headersOf({ headers }: RequestRecord): Part[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  return [...names].map((name) => ({
    name,
    without: (other) => {
      const left = other.headers.filter((each) => each[0].toLowerCase() !== name);
      return left.length === other.headers.length ? other : { ...other, headers: left };
    },
  }));
}

/** Returns a request to advance the clock with as much as it does among these inputs. */
export function withOwnAdvance(
  request: RequestRecord,
  inputs: readonly InputRecord[],
): RequestRecord {
  const json = jsonOf(request);
  const [first, last = Number.POSITIVE_INFINITY] = request.acts;
  if (!request.target.startsWith('/_sandbox/clock/advance') || !isObject(json)) return request;
  const acts = inputs.flatMap((each) => (each.kind === 'act' ? [each] : []));
  const from = acts.find(({ n }) => n === first)?.now;
  const stops = acts.filter(
    ({ n, cause }) => cause.type === 'clock.to' && n > (first ?? 0) && n < last,
  );
  const to = stops.at(-1)?.params?.to;
  if (from === undefined || to === undefined || to < from) return request;
  const ms = to - from;
  if (ms === 0 || parseDuration(String(json.by)) === ms) return request;
  const short = formatDuration(ms).replaceAll(' ', '');
  const by = parseDuration(short) === ms ? short : `${ms}ms`;
  return { ...request, body: { text: JSON.stringify({ ...json, by }) } };
}

function jsonOf({ body }: RequestRecord): unknown {
  return body && 'text' in body ? parsedJson(body.text) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function paths(value: unknown): string[][] {
  if (!isObject(value)) return [];
  const names = Object.keys(value);
  const inner = names.flatMap((name) => paths(value[name]).map((path) => [name, ...path]));
  return [...names.map((name) => [name]), ...inner];
}

/** Returns the same value if there is nothing at the path. */
function withoutPath(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: found, ...others } = value;
  if (rest.length === 0) return others;
  const smaller = withoutPath(found, rest);
  return smaller === found ? value : { ...value, [name]: smaller };
}

/** Whether the problem is still there with only these; an aborted search answers no. */
export type Test<T> = (kept: readonly T[]) => Promise<boolean>;

/** Returns the items without the longest beginning, found by bisection, that the test does not need. */
export async function withoutBeginning<T>(items: readonly T[], test: Test<T>): Promise<T[]> {
  let kept = [...items];
  for (let size = items.length; size >= 1; size = Math.floor(size / 2)) {
    while (kept.length >= size && (await test(kept.slice(size)))) kept = kept.slice(size);
  }
  return kept;
}

/** Removes chunks, from half of the items down to single ones, until no item can go (ddmin). */
export async function withoutChunks<T>(items: readonly T[], test: Test<T>): Promise<T[]> {
  let kept = [...items];
  let size = Math.ceil(kept.length / 2);
  while (kept.length > 0) {
    const before = kept.length;
    // From the end: what comes later depends on what is earlier.
    for (let end = kept.length; end > 0; end -= size) {
      const fewer = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)];
      if (await test(fewer)) kept = fewer;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (kept.length === before) return kept;
  }
  return kept;
}

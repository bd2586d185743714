import { formatExactDuration, parseDuration } from '../../kernel/time.ts';
import { bytesOf, type InputRecord, type RequestRecord } from './format.ts';
import { parseBoundedJson } from './limits.ts';
import { keyOf } from './operation.ts';

/** Inputs that share a name are related, if at most so many have it. */
const MAX_OCCURRENCES = [4, 16, 64, Number.POSITIVE_INFINITY];

/**
 * Returns guesses of the inputs that led to the target, the smallest first: inputs that share IDs, domains, keys or nonces
 * with it, directly or through others, without and with inputs that name nothing, such as a clock move.
 */
export function guessRelated(inputs: readonly InputRecord[], target: InputRecord): InputRecord[][] {
  const namesByInput = new Map([...inputs, target].map((input) => [input, namesIn(input)]));
  const pairs = [...namesByInput].flatMap(([input, { names }]) =>
    Array.from(names, (name) => ({ name, input })),
  );
  const byName = Map.groupBy(pairs, ({ name }) => name);
  const guesses = MAX_OCCURRENCES.flatMap((limit) => {
    const relatedInputs = new Set([target]);
    const unvisited = new Map(byName);
    for (const input of relatedInputs) {
      const { names = [], key = '' } = namesByInput.get(input) ?? {};
      for (const name of [...names, key]) {
        const inputsWithName = unvisited.get(name) ?? [];
        unvisited.delete(name);
        if (inputsWithName.length <= limit)
          for (const inputWithName of inputsWithName) relatedInputs.add(inputWithName.input);
      }
    }
    const isRelated = (input: InputRecord) => relatedInputs.has(input);
    return [
      inputs.filter(isRelated),
      inputs.filter((input) => isRelated(input) || namesByInput.get(input)?.names.size === 0),
    ];
  });
  return guesses
    .sort((a, b) => a.length - b.length)
    .filter(({ length }, n) => length > (guesses[n - 1]?.length ?? -1) && length < inputs.length);
}

function isWrite(input: InputRecord): boolean {
  return input.kind === 'request' && input.method !== 'GET';
}

interface Names {
  /** IDs, tokens and domains. */
  names: ReadonlySet<string>;
  /** Key ID of the credential: relates a request to those that create or change the credential, not to its other requests. */
  key?: string | undefined;
}

function namesIn(input: InputRecord): Names {
  if (input.kind === 'act') {
    const { cause, params } = input;
    return { names: wordsIn(`${'id' in cause ? cause.id : ''} ${params?.body ?? ''}`) };
  }
  const { target, headers, body, response } = input;
  const key = keyOf(input);
  const headerValues = headers.map(([, value]) => (value === key ? '' : value));
  // The list in the response to a read names many unrelated objects.
  const responseBody = isWrite(input) && response && 'body' in response ? response.body : null;
  const text = responseBody && !('bytes' in responseBody) ? bytesOf(responseBody) : '';
  return { names: wordsIn(`${target} ${headerValues.join(' ')} ${bytesOf(body)} ${text}`), key };
}

/** Times relate nothing: many inputs share one. */
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function wordsIn(text: string): Set<string> {
  const words = text.replace(TIMES, ' ').match(/[\w.-]{4,}/g) ?? [];
  return new Set(words.filter((word) => /\.|\d/.test(word) && !/^[\d.-]+$/.test(word)));
}

/** A part of a request that may be removed. */
export interface RemovablePart {
  name: string;
  /** Returns the same object if the request has no such part. */
  removeFrom(request: RequestRecord): RequestRecord;
}

/** Returns the fields of a JSON body, outer ones first. */
export function fieldParts(request: RequestRecord): RemovablePart[] {
  return paths(jsonOf(request)).map((path) => ({
    name: JSON.stringify(path),
    removeFrom: (candidate) => {
      const json = jsonOf(candidate);
      const smaller = withoutPath(json, path);
      return smaller === json
        ? candidate
        : { ...candidate, body: { text: JSON.stringify(smaller) } };
    },
  }));
}

export function headerParts({ headers }: RequestRecord): RemovablePart[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  return [...names].map((name) => ({
    name,
    removeFrom: (candidate) => {
      const remaining = candidate.headers.filter((header) => header[0].toLowerCase() !== name);
      return remaining.length === candidate.headers.length
        ? candidate
        : { ...candidate, headers: remaining };
    },
  }));
}

/** Sets the duration of a clock advance to what it advanced among these inputs. */
export function withActualAdvance(
  request: RequestRecord,
  inputs: readonly InputRecord[],
): RequestRecord {
  const json = jsonOf(request);
  const [first, last = Number.POSITIVE_INFINITY] = request.acts;
  if (!request.target.startsWith('/_sandbox/clock/advance') || !isObject(json)) return request;
  const acts = inputs.flatMap((input) => (input.kind === 'act' ? [input] : []));
  const from = acts.find(({ n }) => n === first)?.now;
  const stops = acts.filter(
    ({ n, cause }) => cause.type === 'clock.to' && n > (first ?? 0) && n < last,
  );
  const to = stops.at(-1)?.params?.to;
  if (from === undefined || to === undefined || to < from) return request;
  const ms = to - from;
  if (ms === 0 || parseDuration(String(json.by)) === ms) return request;
  const by = formatExactDuration(ms).replaceAll(' ', '');
  return { ...request, body: { text: JSON.stringify({ ...json, by }) } };
}

function jsonOf({ body }: RequestRecord): unknown {
  return body && 'text' in body ? parseBoundedJson(body.text) : undefined;
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
function withoutPath(value: unknown, [name = '', ...innerPath]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: inner, ...otherFields } = value;
  if (innerPath.length === 0) return otherFields;
  const smaller = withoutPath(inner, innerPath);
  return smaller === inner ? value : { ...value, [name]: smaller };
}

/** Whether the problem is still there with only these items; false once the search is stopped. */
export type Test<T> = (remaining: readonly T[]) => Promise<boolean>;

/** Removes the longest prefix that the test does not need, by bisection. */
export async function withoutBeginning<T>(items: readonly T[], test: Test<T>): Promise<T[]> {
  let remaining = [...items];
  for (let size = items.length; size >= 1; size = Math.floor(size / 2)) {
    while (remaining.length >= size && (await test(remaining.slice(size))))
      remaining = remaining.slice(size);
  }
  return remaining;
}

/** Removes chunks, from half of the items down to single ones, until no item can be removed (ddmin). */
export async function withoutChunks<T>(items: readonly T[], test: Test<T>): Promise<T[]> {
  let remaining = [...items];
  let size = Math.ceil(remaining.length / 2);
  while (remaining.length > 0) {
    const before = remaining.length;
    // From the end, because later items depend on earlier ones.
    for (let end = remaining.length; end > 0; end -= size) {
      const candidate = [...remaining.slice(0, Math.max(0, end - size)), ...remaining.slice(end)];
      if (await test(candidate)) remaining = candidate;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (remaining.length === before) return remaining;
  }
  return remaining;
}

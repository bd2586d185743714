import { diffJson, type JsonDifference } from '../../../kernel/diff-json.ts';
import { headerOf } from '../../../requests/logged-request.ts';
import { pathOfAll } from '../differences.ts';
import { lookUp } from '../fields.ts';
import { type ResponseRecord, textOf } from '../format.ts';
import { parseBoundedJson } from '../limits.ts';
import type { Bindings } from './bindings.ts';

/** The compared parts of a response. */
export interface ComparedResponse {
  /** `closed` if the connection was closed without a response. */
  status: number | 'closed';
  type?: string | undefined;
  retryAfter?: string | undefined;
  /** Undefined if it is not JSON. */
  body?: unknown;
  /** Whether the file has only the length of the body. */
  isLong?: boolean;
}

export interface TargetDifference {
  kind: JsonDifference['kind'] | 'status' | 'code' | 'header';
  path: string;
  recorded?: unknown;
  replayed?: unknown;
}

export interface ResponseComparison {
  differences: TargetDifference[];
  fields: number;
  values: number;
}

interface ComparisonRules {
  /** Compares values too, not only types. */
  values: boolean;
  /** Paths that differ between two responses to one request. */
  noise?: ReadonlySet<string>;
  /** Binds the ids of accepted responses; without it, ids must be equal. */
  bindings?: Bindings;
}

/** Names of fields whose value is local to a sandbox: an id, a time, a token, a URL or a message. */
const LOCAL_FIELD = /(?:^|_)(?:id|ids|at|url|token|message|cursor|secret|link)$/;
/** Values that are local to a sandbox. */
const LOCAL_VALUE = /^(?:https?:\/\/|\d{4}-\d\d|[a-z]{2,4}_[0-9a-z]{10,}$)/;

/** @param map changes the JSON of the body */
export function toComparable(
  response: ResponseRecord,
  map = (json: string) => json,
): ComparedResponse {
  if ('closed' in response) return { status: 'closed' };
  const { status, headers, body } = response;
  return {
    status,
    type: headerOf(headers, 'content-type'),
    retryAfter: headerOf(headers, 'retry-after'),
    body: parseBoundedJson(map(textOf(body))),
    isLong: 'bytes' in body,
  };
}

export function codeOf({ body }: ComparedResponse): unknown {
  return lookUp(body, 'error.code').value;
}

export function isAccepted({ status }: ComparedResponse): boolean {
  return status !== 'closed' && status < 400;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Compares two responses. The recorded one determines the fields. */
export function compareWithTarget(
  recorded: ComparedResponse,
  replayed: ComparedResponse,
  { values, noise = new Set(), bindings }: ComparisonRules,
): ResponseComparison {
  const comparison: ResponseComparison = { differences: [], fields: 0, values: 0 };
  const add = (kind: TargetDifference['kind'], path: string, a?: unknown, b?: unknown) => {
    if (!isNoise(path, noise)) {
      comparison.differences.push({ kind, path, recorded: a, replayed: b });
    }
  };
  if (recorded.status !== replayed.status) {
    add('status', 'status', recorded.status, replayed.status);
  }
  const [code, newCode] = [codeOf(recorded), codeOf(replayed)];
  if (code && newCode && code !== newCode) add('code', 'error.code', code, newCode);
  if (isAccepted(recorded) !== isAccepted(replayed)) return comparison;
  const [type, newType] = [recorded.type, replayed.type];
  if (mediaType(type) !== mediaType(newType)) add('header', 'content-type', type, newType);
  const [after, newAfter] = [recorded.retryAfter, replayed.retryAfter];
  if ((after === undefined) !== (newAfter === undefined)) {
    add('header', 'retry-after', after, newAfter);
  }
  if (recorded.isLong || (recorded.body === undefined && replayed.body === undefined)) {
    return comparison;
  }
  const reordered = reorderedLists(recorded.body, replayed.body, values);
  for (const name of reordered) add('order', name);
  const { differences } = diffJson(omit(reordered, recorded.body), omit(reordered, replayed.body), {
    isVolatile(path, a, b) {
      if (isNoise(path, noise)) return true;
      comparison.fields += 1;
      const name = nameIn(path);
      if (isAccepted(recorded)) bindings?.bind(name, a, b);
      if (Number.isInteger(a) && !Number.isInteger(b)) add('type', path, typeOf(a), typeOf(b));
      if (!values || isLocal(name, a) || path === 'error.code' || typeOf(a) !== typeOf(b))
        return true;
      comparison.values += 1;
      return false;
    },
    ...(bindings && {
      nameOf: (id, side) =>
        bindings.nameOf(id, side) ?? (values && !LOCAL_VALUE.test(id) ? id : undefined),
    }),
  });
  for (const { kind, path, a, b } of differences) {
    if (kind === 'type') add(kind, path || 'body', typeOf(a), typeOf(b));
    // Lists of two inventories have different elements.
    else if (kind === 'value' || kind === 'order' || values || !path.endsWith(']'))
      add(kind, path, a, b);
  }
  return comparison;
}

/** Returns the paths at which two responses to the same request differ. */
export function noiseOf(a: unknown, b: unknown): Set<string> {
  return new Set(diffJson(a, b).differences.map(({ path }) => pathOfAll(path)));
}

function isNoise(path: string, noise: ReadonlySet<string>): boolean {
  const general = pathOfAll(path);
  return [...noise].some(
    (prefix) =>
      general === prefix || general.startsWith(`${prefix}.`) || general.startsWith(`${prefix}[`),
  );
}

/** Returns the field of a path: `tags` for `domains[a.io].tags[0]`. */
function nameIn(path: string): string {
  const end = path.endsWith(']') ? path.lastIndexOf('[') : path.length;
  return path.slice(path.lastIndexOf('.', end) + 1, end);
}

/** Returns the lists that are sorted by time in the other direction, or have the same elements in another order. */
function reorderedLists(recorded: unknown, replayed: unknown, values: boolean): string[] {
  if (!isObject(recorded) || !isObject(replayed)) return [];
  return Object.keys(recorded).filter((name) => {
    const [before, after] = [recorded[name], replayed[name]];
    if (!Array.isArray(before) || !Array.isArray(after)) return false;
    const direction = directionOf(before);
    if (Math.abs(direction) === 1 && !(directionOf(after) * direction >= 0)) return true;
    const [a, b] = [before.map(commonValues), after.map(commonValues)];
    return values && a.join() !== b.join() && a.sort().join() === b.sort().join();
  });
}

/** Returns an element as JSON, without the values that are local to a sandbox. */
function commonValues(element: unknown): string {
  return JSON.stringify(element, (name, value) => (isLocal(name, value) ? null : value)) ?? '';
}

function isLocal(name: string, value: unknown): boolean {
  return LOCAL_FIELD.test(name) || (typeof value === 'string' && LOCAL_VALUE.test(value));
}

function omit(names: readonly string[], body: unknown): unknown {
  if (names.length === 0 || !isObject(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** Returns 1 if the times of a list rise, -1 if they fall, NaN if they do both, 0 if there are none or all are equal. */
function directionOf(list: readonly unknown[]): number {
  const times = list.map((element) =>
    Date.parse(isObject(element) ? String(element.created_at ?? element.at) : ''),
  );
  if (times.some(Number.isNaN)) return 0;
  const steps = times.slice(1).map((time, index) => Math.sign(time - (times[index] ?? 0)));
  if (steps.includes(1) && steps.includes(-1)) return Number.NaN;
  return steps.find((step) => step !== 0) ?? 0;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'not JSON';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function mediaType(type: string | undefined): string | undefined {
  return type?.toLowerCase().replaceAll(' ', '');
}

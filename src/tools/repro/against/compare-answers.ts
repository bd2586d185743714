import { diffJson, type JsonDifference } from '../../../kernel/diff-json.ts';
import { headerOf } from '../../../requests/logged-request.ts';
import { pathOfAll } from '../differences.ts';
import { lookUp } from '../fields.ts';
import { type ResponseRecord, textOf } from '../format.ts';
import { parsedJson } from '../limits.ts';
import type { Bindings } from './bindings.ts';

/** A response as it is compared. */
export interface Answer {
  /** `closed` if the connection was closed without a response. */
  status: number | 'closed';
  type?: string | undefined;
  retryAfter?: string | undefined;
  /** Undefined if it is not JSON. */
  body?: unknown;
  /** Whether the file has only the length of the body. */
  isLong?: boolean;
}

/** How a response differs from the recorded one. */
export interface AnswerDifference {
  kind: JsonDifference['kind'] | 'status' | 'code' | 'header';
  path: string;
  recorded?: unknown;
  replayed?: unknown;
}

export interface Compared {
  differences: AnswerDifference[];
  fields: number;
  values: number;
}

interface Rules {
  /** Whether values are compared too. */
  values: boolean;
  /** Paths that differ between two responses to one request. */
  noise?: ReadonlySet<string>;
  /** Learns what the ids of an accepted response are; without it, they are the same. */
  bindings?: Bindings;
}

/** Names of fields with an id, a time, a token, a URL or a message. */
const OWN = /(?:^|_)(?:id|ids|at|url|token|message|cursor|secret|link)$/;
/** The same, by form. */
const OWN_VALUE = /^(?:https?:\/\/|\d{4}-\d\d|[a-z]{2,4}_[0-9a-z]{10,}$)/;

/** @param map what the JSON of its body becomes */
export function answerOf(response: ResponseRecord, map = (json: string) => json): Answer {
  if ('closed' in response) return { status: 'closed' };
  const { status, headers, body } = response;
  return {
    status,
    type: headerOf(headers, 'content-type'),
    retryAfter: headerOf(headers, 'retry-after'),
    body: parsedJson(map(textOf(body))),
    isLong: 'bytes' in body,
  };
}

export function codeOf({ body }: Answer): unknown {
  return lookUp(body, 'error.code').value;
}

export function isAccepted({ status }: Answer): boolean {
  return status !== 'closed' && status < 400;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Compares two responses, of which the recorded one says which fields there are. */
export function compareAnswers(
  recorded: Answer,
  replayed: Answer,
  { values, noise = new Set(), bindings }: Rules,
): Compared {
  const compared: Compared = { differences: [], fields: 0, values: 0 };
  const add = (kind: AnswerDifference['kind'], path: string, one?: unknown, other?: unknown) => {
    if (!isNoise(path, noise)) {
      compared.differences.push({ kind, path, recorded: one, replayed: other });
    }
  };
  if (recorded.status !== replayed.status) {
    add('status', 'status', recorded.status, replayed.status);
  }
  const [code, other] = [codeOf(recorded), codeOf(replayed)];
  if (code && other && code !== other) add('code', 'error.code', code, other);
  if (isAccepted(recorded) !== isAccepted(replayed)) return compared;
  const [type, newType] = [recorded.type, replayed.type];
  if (mediaType(type) !== mediaType(newType)) add('header', 'content-type', type, newType);
  const [after, newAfter] = [recorded.retryAfter, replayed.retryAfter];
  if ((after === undefined) !== (newAfter === undefined)) {
    add('header', 'retry-after', after, newAfter);
  }
  if (recorded.isLong || (recorded.body === undefined && replayed.body === undefined)) {
    return compared;
  }
  const turned = turnedLists(recorded.body, replayed.body, values);
  for (const name of turned) add('order', name);
  const { differences } = diffJson(without(turned, recorded.body), without(turned, replayed.body), {
    isVolatile(path, a, b) {
      if (isNoise(path, noise)) return true;
      compared.fields += 1;
      const name = nameIn(path);
      if (isAccepted(recorded)) bindings?.bind(name, a, b);
      if (Number.isInteger(a) && !Number.isInteger(b)) add('type', path, typeOf(a), typeOf(b));
      if (!values || isOwn(name, a) || path === 'error.code' || typeOf(a) !== typeOf(b))
        return true;
      compared.values += 1;
      return false;
    },
    ...(bindings && {
      nameOf: (id, side) =>
        bindings.nameOf(id, side) ?? (values && !OWN_VALUE.test(id) ? id : undefined),
    }),
  });
  for (const { kind, path, a, b } of differences) {
    if (kind === 'type') add(kind, path || 'body', typeOf(a), typeOf(b));
    // Lists of two inventories have different elements.
    else if (kind === 'value' || kind === 'order' || values || !path.endsWith(']'))
      add(kind, path, a, b);
  }
  return compared;
}

/** The paths at which two responses to one request differ. */
export function noiseOf(one: unknown, other: unknown): Set<string> {
  return new Set(diffJson(one, other).differences.map(({ path }) => pathOfAll(path)));
}

function isNoise(path: string, noise: ReadonlySet<string>): boolean {
  const of = pathOfAll(path);
  return [...noise].some(
    (each) => of === each || of.startsWith(`${each}.`) || of.startsWith(`${each}[`),
  );
}

/** The field of a path: `tags` in `domains[a.io].tags[0]`. */
function nameIn(path: string): string {
  const end = path.endsWith(']') ? path.lastIndexOf('[') : path.length;
  return path.slice(path.lastIndexOf('.', end) + 1, end);
}

/** The lists of a response that are sorted by time in another direction, or have the same elements in another order. */
function turnedLists(one: unknown, other: unknown, values: boolean): string[] {
  if (!isObject(one) || !isObject(other)) return [];
  return Object.keys(one).filter((name) => {
    const [before, after] = [one[name], other[name]];
    if (!Array.isArray(before) || !Array.isArray(after)) return false;
    const direction = directionOf(before);
    if (Math.abs(direction) === 1 && !(directionOf(after) * direction >= 0)) return true;
    const [was, is] = [before.map(shared), after.map(shared)];
    return values && was.join() !== is.join() && was.sort().join() === is.sort().join();
  });
}

/** The values of an element that two sandboxes have in common. */
function shared(element: unknown): string {
  return JSON.stringify(element, (name, value) => (isOwn(name, value) ? null : value)) ?? '';
}

function isOwn(name: string, value: unknown): boolean {
  return OWN.test(name) || (typeof value === 'string' && OWN_VALUE.test(value));
}

function without(names: readonly string[], body: unknown): unknown {
  if (names.length === 0 || !isObject(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** 1 if the times of a list rise, -1 if they fall, 0 if it has no order by time, NaN if they do both. */
function directionOf(list: readonly unknown[]): number {
  const times = list.map((each) =>
    Date.parse(isObject(each) ? String(each.created_at ?? each.at) : ''),
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

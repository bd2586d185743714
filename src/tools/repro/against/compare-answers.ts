import type { ResponseRecord } from '../../../requests/recording.ts';
import { bytesOf } from '../format.ts';
import { parsedJson } from '../limits.ts';

/** A response as it is compared. */
export interface Answer {
  /** 0 if the connection was closed without a response. */
  status: number;
  type: string | undefined;
  retryAfter: string | undefined;
  /** Undefined if it is not JSON. */
  body: unknown;
  /** Whether the file has only the length of the body. */
  isLong: boolean;
}

export const KINDS = [
  'status',
  'code',
  'missing',
  'added',
  'type',
  'value',
  'order',
  'header',
] as const;

/** How a response differs from the recorded one. */
export interface AnswerDifference {
  kind: (typeof KINDS)[number];
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
  noise: ReadonlySet<string>;
}

/** Names of fields with an id, a time, a token, a URL or a message. */
const OWN =
  /(?:^|_)(?:id|ids|at|url|token|message|cursor|secret|link|from|to|date|start|end|period|quote)$/;
/** The same, by form. */
const OWN_VALUE = /^(?:https?:\/\/|\d{4}-\d\d|[a-z]{2,4}_[0-9a-z]{10,}$)/;

export function answerOf(response: ResponseRecord): Answer {
  if ('closed' in response) {
    return { status: 0, type: undefined, retryAfter: undefined, body: undefined, isLong: false };
  }
  const header = (name: string) =>
    response.headers.find(([each]) => each.toLowerCase() === name)?.[1];
  const isLong = 'bytes' in response.body;
  return {
    status: response.status,
    type: header('content-type'),
    retryAfter: header('retry-after'),
    body: 'bytes' in response.body ? undefined : parsedJson(bytesOf(response.body).toString()),
    isLong,
  };
}

/** Compares two responses, of which the recorded one says which fields there are. */
export function compareAnswers(recorded: Answer, replayed: Answer, rules: Rules): Compared {
  const compared: Compared = { differences: [], fields: 0, values: 0 };
  const add = (kind: AnswerDifference['kind'], path: string, one?: unknown, other?: unknown) =>
    compared.differences.push({
      ...{ kind, path },
      ...(one !== undefined && { recorded: one }),
      ...(other !== undefined && { replayed: other }),
    });
  const isStatus = recorded.status === replayed.status;
  if (!isStatus) add('status', 'status', recorded.status, replayed.status);
  const [code, other] = [codeIn(recorded.body), codeIn(replayed.body)];
  if (code !== undefined && other !== undefined && code !== other)
    add('code', 'error.code', code, other);
  if (!isStatus && Math.floor(recorded.status / 100) !== Math.floor(replayed.status / 100)) {
    return compared;
  }
  if (mediaType(recorded.type) !== mediaType(replayed.type)) {
    add('header', 'content-type', recorded.type, replayed.type);
  }
  if ((recorded.retryAfter === undefined) !== (replayed.retryAfter === undefined)) {
    add('header', 'retry-after', recorded.retryAfter, replayed.retryAfter);
  }
  if (!recorded.isLong) walk('', '', recorded.body, replayed.body);
  compared.differences = compared.differences.filter(({ path }) => !isNoise(path, rules.noise));
  return compared;

  function walk(path: string, name: string, one: unknown, two: unknown): void {
    if (path === 'error.code') return;
    if (path !== '') compared.fields += 1;
    const [type, now] = [typeOf(one), typeOf(two)];
    if (type !== now) return void add('type', path || 'body', type, now);
    if (Array.isArray(one) && Array.isArray(two)) {
      walkList(path, name, one, two);
      return;
    }
    if (isObject(one) && isObject(two)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(two)])) {
        const inner = path === '' ? key : `${path}.${key}`;
        if (!Object.hasOwn(two, key)) add('missing', inner, one[key]);
        else if (!Object.hasOwn(one, key)) add('added', inner, undefined, two[key]);
        else walk(inner, key, one[key], two[key]);
      }
      return;
    }
    if (!rules.values || isOwn(name, one)) return;
    compared.values += 1;
    if (one !== two) add('value', path, one, two);
  }

  function walkList(path: string, name: string, one: unknown[], two: unknown[]): void {
    const direction = directionOf(one);
    const isSorted = direction === 0 || directionOf(two) * direction >= 0;
    const [before, after] = [one.map(shared), two.map(shared)];
    const isMoved =
      rules.values &&
      before.join() !== after.join() &&
      before.toSorted().join() === after.toSorted().join();
    if (!isSorted || isMoved) return void add('order', path);
    if (rules.values && one.length !== two.length)
      add('value', `${path}.length`, one.length, two.length);
    for (let index = 0; index < Math.min(one.length, two.length); index += 1) {
      walk(`${path}.${index}`, name, one[index], two[index]);
    }
  }
}

/** The paths at which two responses to one request differ. */
export function noiseOf(one: unknown, other: unknown, path = ''): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (!isObject(one) || !isObject(other)) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) =>
    noiseOf(one[key], other[key], path === '' ? key : `${path}.${key}`),
  );
}

function isNoise(path: string, noise: ReadonlySet<string>): boolean {
  return [...noise].some((each) => path === each || path.startsWith(`${each}.`));
}

/** 1 if the times of a list rise, -1 if they fall, 0 if it has no order by time. */
function directionOf(list: readonly unknown[]): number {
  const times = list.map((each) => (isObject(each) ? (each.created_at ?? each.at) : undefined));
  if (!times.every((each) => typeof each === 'string')) return 0;
  const steps = times
    .slice(1)
    .map((time, at) => Math.sign(Date.parse(time) - Date.parse(times[at] ?? '')));
  if (steps.includes(1) && steps.includes(-1)) return Number.NaN;
  return steps.find((step) => step !== 0) ?? 0;
}

/** The values of an element that two sandboxes share. */
function shared(element: unknown): string {
  return JSON.stringify(element, (name, value) => (isOwn(name, value) ? null : value)) ?? '';
}

function isOwn(name: string, value: unknown): boolean {
  return OWN.test(name) || (typeof value === 'string' && OWN_VALUE.test(value));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'not JSON';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function codeIn(body: unknown): string | undefined {
  const error = isObject(body) ? body.error : undefined;
  return isObject(error) && typeof error.code === 'string' ? error.code : undefined;
}

function mediaType(type: string | undefined): string | undefined {
  return type?.toLowerCase().replaceAll(' ', '');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

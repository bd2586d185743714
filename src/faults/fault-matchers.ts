import { EVENT_TYPES } from '../events/event-types.ts';
import { normalizeDomain } from '../kernel/addresses.ts';
import { nearest } from '../kernel/did-you-mean.ts';
import type { FieldRow, ValuesOf } from './fault-fields.ts';
import { canReach, isOnPath, type Reachable, readPathPattern, spellPath } from './path-pattern.ts';

export interface RequestTarget {
  endpoint: Reachable;
  /** Decoded path parameters. */
  params: Readonly<Record<string, string>>;
  /** All texts of the request that may be a domain, and the domains of the order and the quote that it names. */
  readonly domains: readonly string[];
  keyId: string;
}

export interface DeliveryTarget {
  event: string;
  /** The domain of the order or case of the event. */
  domains: readonly string[];
  deliveryId: string;
  /** Attempts made before this one. */
  attemptsMade: number;
  /** Whether a reordered delivery waits for this one to be sent first. */
  readonly followsReordered: boolean;
}

export interface MatcherRow extends FieldRow {
  /** Kind of fault that can have it; both if left out. */
  readonly only?: FaultKind;
  /** Returns the reason why the value matches nothing. */
  check?(value: never, match: never, endpoints: readonly Reachable[]): string | undefined;
}

export interface FilterRow extends MatcherRow {
  /** Part of the subject of the description: `POST /orders`. */
  readonly subject?: true;
  /** Returns whether a request or attempt has the value. */
  filter(value: never): (target: never) => boolean;
}

/** Filters of requests and webhooks; a fault matches if all of its filters do. */
export const FILTERS = {
  method: {
    field: { type: 'choice', values: ['GET', 'POST', 'PUT'] },
    only: 'request',
    option: '--method <method>',
    help: 'Match requests with this method',
    subject: true,
    describe: (method: string) => method,
    check(
      method: string,
      { path }: { path?: string | undefined },
      endpoints: readonly Reachable[],
    ): string | undefined {
      const methods = [...new Set(reached(path, endpoints).map((endpoint) => endpoint.method))];
      if (methods.length === 0 || methods.includes(method)) return undefined;
      return `no endpoint matches ${[method, path].join(' ').trim()}; use ${methods.join(' or ')}`;
    },
    filter:
      (method: string) =>
      ({ endpoint }: RequestTarget) =>
        endpoint.method === method,
  },
  path: {
    field: { type: 'text', max: 200 },
    only: 'request',
    option: '--path <path>',
    help: 'Match requests to this path: /orders/{public_id}, /orders/ord_1, "/me/*"',
    subject: true,
    describe: (path: string) => path,
    check(path: string, _match: object, endpoints: readonly Reachable[]): string | undefined {
      if (reached(path, endpoints).length > 0) return undefined;
      const spelled = [...new Set(endpoints.map((endpoint) => spellPath(endpoint.path)))];
      const near = nearest(path.replace(/^\/api\/partner\/v1(?=\/)/, ''), spelled);
      return `no endpoint matches ${path}; the nearest is ${near?.candidate}. "*" matches any characters`;
    },
    filter(path: string) {
      const pattern = readPathPattern(path);
      return ({ endpoint, params }: RequestTarget) =>
        isOnPath(pattern, endpoint.path, requestedPath(endpoint.path, params));
    },
  },
  domain: {
    field: { type: 'domain' },
    option: '--domain <domain>',
    help: 'Match requests that name this domain or an order or a quote of it, or webhooks about it',
    describe: (name: string) => `about ${name}`,
    filter:
      (name: string) =>
      ({ domains }: RequestTarget | DeliveryTarget) =>
        domains.some((domain) => normalizeDomain(domain) === name),
  },
  key_id: {
    field: { type: 'text', max: 128 },
    only: 'request',
    option: '--key <key-id>',
    help: 'Match requests of this credential',
    describe: (id: string) => `by ${id}`,
    filter:
      (id: string) =>
      ({ keyId }: RequestTarget) =>
        keyId === id,
  },
  event: {
    field: { type: 'choice', values: EVENT_TYPES },
    only: 'webhook',
    option: '--event <type>',
    help: 'Match webhooks of this event type, such as order.recorded',
    subject: true,
    describe: (type: string) => type,
    filter:
      (type: string) =>
      ({ event }: DeliveryTarget) =>
        event === type,
  },
  attempt: {
    field: { type: 'integer' },
    only: 'webhook',
    option: '--attempt <n>',
    help: 'Match only the nth attempt of a delivery',
    describe: (attempt: number) => `attempt ${attempt}`,
    filter:
      (attempt: number) =>
      ({ attemptsMade }: DeliveryTarget) =>
        attemptsMade === attempt - 1,
  },
} as const satisfies Readonly<Record<string, FilterRow>>;

export type FaultKind = 'request' | 'webhook';

/** Whether a fault acts on a match; `exhausted` if it acts on no later match either. */
type Decision = boolean | 'exhausted';

export interface OccurrenceRow extends MatcherRow {
  /**
   * @param n 1 for the first request or attempt that matches
   * @param sample returns a number from 0 to 1, decided by the world's seed
   */
  decide(value: never, n: number, sample: () => number): Decision;
}

/** Fields that select some of the matches. */
export const OCCURRENCES = {
  delivery: {
    field: { type: 'integer' },
    only: 'webhook',
    option: '--delivery <n>',
    help: 'Match only the attempts of the nth delivery that begins',
    conflicts: { with: ['first', 'nth', 'every'], because: 'delivery is one delivery' },
    describe: (n: number) => `delivery ${n}`,
    // `match-fault.ts` counts deliveries, not attempts.
    decide: (): Decision => true,
  },
  first: {
    field: { type: 'integer' },
    option: '--first <n>',
    help: 'Match only the first n requests or attempts that match otherwise',
    describe: (first: number) => `first ${first}`,
    decide: (first: number, n: number): Decision => n <= first || 'exhausted',
  },
  nth: {
    field: { type: 'integer' },
    option: '--nth <n>',
    help: 'Match only the nth request or attempt that matches otherwise',
    conflicts: { with: ['first', 'every'], because: 'nth is one match' },
    describe: (nth: number) => `nth ${nth}`,
    decide: (nth: number, n: number): Decision => (n > nth ? 'exhausted' : n === nth),
  },
  every: {
    field: { type: 'integer' },
    option: '--every <n>',
    help: 'Match only every nth request or attempt that matches otherwise',
    describe: (every: number) => `every ${every}`,
    decide: (every: number, n: number): Decision => n % every === 0,
  },
  probability: {
    field: { type: 'fraction' },
    option: '--probability <p>',
    help: 'Match each request or attempt with this probability, such as 0.2; the same seed gives the same result',
    describe: (probability: number) => `probability ${probability}`,
    decide: (probability: number, _n: number, sample: () => number): Decision =>
      sample() < probability,
  },
} as const satisfies Readonly<Record<string, OccurrenceRow>>;

export const MATCHERS = { ...FILTERS, ...OCCURRENCES };

/** Returns the fields of a table that a kind of fault can have. */
export function fieldsFor(
  kind: FaultKind,
  table: Readonly<Record<string, MatcherRow>>,
): Readonly<Record<string, MatcherRow>> {
  return Object.fromEntries(Object.entries(table).filter(([, { only = kind }]) => only === kind));
}

export type FaultMatch = ValuesOf<typeof MATCHERS>;

/** `times`, a field next to `match`. */
export const TIMES = {
  field: { type: 'integer' },
  option: '--times <n>',
  help: 'Stop after the fault has acted n times',
} as const satisfies FieldRow;

function reached(path: string | undefined, endpoints: readonly Reachable[]): readonly Reachable[] {
  if (path === undefined) return endpoints;
  const pattern = readPathPattern(path);
  return endpoints.filter((endpoint) => canReach(pattern, endpoint));
}

function requestedPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (whole, name: string) => params[name] ?? whole);
}

import {
  and,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { contains, literally } from '../store/like.ts';
import type { Store } from '../store/open.ts';
import { finder } from '../store/table.ts';
import { type RequestRow, requests } from './log-file.ts';
import type { Api } from './message.ts';

/** Conditions of a list of requests, which must all hold. */
export interface RequestFilter {
  /** A status (`404`), a class of them (`4xx`), `error` for 400 and above, or `closed` for closed connections. */
  status?: string | undefined;
  code?: string | undefined;
  method?: string | undefined;
  /** Part of the path or query; `*` matches any text. */
  path?: string | undefined;
  keyId?: string | undefined;
  api?: Api | undefined;
  /** Text in the target, a header, a body, the response or the trace, ignoring case. */
  text?: string | undefined;
  /** Sandbox time, Unix ms, inclusive. */
  from?: number | undefined;
  /** Duration in ms, both exclusive. */
  longerThan?: number | undefined;
  shorterThan?: number | undefined;
  partnerId?: string | undefined;
  /** Declared paths, `/_sandbox` included. */
  endpoints?: readonly string[] | undefined;
  /** Whether the partner API has no such endpoint. */
  isUnknown?: true | undefined;
  /** Whether a fault acted. */
  hasFault?: boolean | undefined;
  /** An id, or a domain, in the target or a body. */
  names?: string | undefined;
  /** Id or type of an event that the request caused. */
  event?: string | undefined;
  /** True for GET and HEAD, false for all others. */
  reads?: boolean | undefined;
  allOf?: readonly RequestFilter[] | undefined;
  anyOf?: readonly RequestFilter[] | undefined;
  not?: RequestFilter | undefined;
}

/** Numbers of entries, both inclusive. */
export interface SeqRange {
  first: number;
  last: number;
}

interface Range {
  world: string;
  first: number;
  last: number | undefined;
}

/** Newest first. @param page.limit -1 for all */
export function listRows(
  log: Store,
  filter: RequestFilter,
  { limit, ...range }: Range & { limit: number },
): RequestRow[] {
  return log.db
    .select()
    .from(requests)
    .where(and(...within(range), conditionOf(filter)))
    .orderBy(desc(requests.seq))
    .limit(limit)
    .all();
}

export function countRows(log: Store, filter: RequestFilter, range: Range): number {
  const counted = log.db.select({ n: count() }).from(requests);
  return counted.where(and(...within(range), conditionOf(filter))).get()?.n ?? 0;
}

function within({ world, first, last }: Range): (SQL | undefined)[] {
  return [
    eq(requests.world, world),
    gte(requests.seq, first),
    last === undefined ? undefined : lte(requests.seq, last),
  ];
}

export const rowBySeq: (log: Store, seq: number) => RequestRow | undefined = finder(
  requests,
  'seq',
);

/** Finds an entry whose id is not made of its number. */
export const rowByRequestId: (log: Store, id: string) => RequestRow | undefined = finder(
  requests,
  'requestId',
);

type ConditionByField = {
  [Name in keyof RequestFilter]?: (value: NonNullable<RequestFilter[Name]>) => SQL | undefined;
};

const { target, head, body, response } = requests;

/** Texts come last: they cost far more than columns. */
const CONDITIONS: ConditionByField = {
  reads: (reads) => sql`(${requests.method} IN ('GET', 'HEAD')) = ${Number(reads)}`,
  endpoints: (endpoints) => inArray(requests.endpoint, [...endpoints]),
  partnerId: (id) => eq(requests.partnerId, id),
  status: statusIs,
  code: (code) => eq(requests.code, code),
  method: (method) => eq(requests.method, method.toUpperCase()),
  keyId: (id) => eq(requests.keyId, id),
  api: (api) => eq(requests.api, api),
  from: (from) => gte(requests.at, from),
  longerThan: (ms) => gt(requests.durationUs, ms * 1_000),
  shorterThan: (ms) => lt(requests.durationUs, ms * 1_000),
  // A request that an earlier check rejected has no endpoint either.
  isUnknown: () =>
    and(eq(requests.api, 'partner'), isNull(requests.endpoint), eq(requests.code, 'not_found')),
  hasFault: (hasFault) => sql`(${requests.fault} IS NOT NULL) = ${Number(hasFault)}`,
  path: (path) => contains(requests.target, literally(path).replaceAll('*', '%')),
  names: (name) => or(...[target, body, response].map((part) => mentions(part, name))),
  // The head ends with the decision trace; an event is a step {"check":"event",…}.
  event: (event) => contains(head, `"check":"event",%"${literally(event)}"`),
  text: (text) =>
    or(...[target, head, body, response].map((part) => contains(part, literally(text)))),
};

function conditionOf(filter: RequestFilter): SQL | undefined {
  const { allOf = [], anyOf, not } = filter;
  const conditions = Object.entries(CONDITIONS).map(([name, condition]) => {
    const value = filter[name as keyof RequestFilter];
    const make = condition as (value: unknown) => SQL | undefined;
    return value === undefined ? undefined : make(value);
  });
  return and(
    ...conditions,
    ...allOf.map(conditionOf),
    anyOf && or(...anyOf.map((alternative) => conditionOf(alternative) ?? sql`TRUE`)),
    not && sql`(${conditionOf(not) ?? sql`TRUE`}) IS NOT TRUE`,
  );
}

function statusIs(status: string): SQL {
  if (status === 'closed') return isNull(requests.status);
  if (status === 'error') return gte(requests.status, 400);
  if (!status.endsWith('xx')) return eq(requests.status, Number(status));
  const hundred = Number(status[0]) * 100;
  return sql`${requests.status} BETWEEN ${hundred} AND ${hundred + 99}`;
}

/** Whether a text has a name as a whole word: `x.io`, not `ax.io`. */
function mentions(column: SQLiteColumn, name: string): SQL | undefined {
  const boundary = '[^a-z0-9_.-]';
  const pattern = `*${boundary}${name.toLowerCase().replace(/[*?[]/g, '[$&]')}${boundary}*`;
  return and(
    contains(column, literally(name)),
    sql`lower(' ' || ${column} || ' ') GLOB ${pattern}`,
  );
}

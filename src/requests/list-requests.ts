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

const { target, head, body, response } = requests;

/** Makes the condition of each filter. Texts come last: they cost far more than columns. */
const CONDITIONS = {
  /** True for GET and HEAD, false for all others. */
  reads: (reads: boolean) => sql`(${requests.method} IN ('GET', 'HEAD')) = ${Number(reads)}`,
  /** Declared paths, `/_sandbox` included. */
  endpoints: (endpoints: readonly string[]) => inArray(requests.endpoint, [...endpoints]),
  partnerId: (id: string) => eq(requests.partnerId, id),
  /** A status (`404`), a class of them (`4xx`), `error` for 400 and above, or `closed` for closed connections. */
  status: statusIs,
  code: (code: string) => eq(requests.code, code),
  method: (method: string) => eq(requests.method, method.toUpperCase()),
  keyId: (id: string) => eq(requests.keyId, id),
  api: (api: Api) => eq(requests.api, api),
  /** Sandbox time, Unix ms, inclusive. */
  from: (from: number) => gte(requests.at, from),
  /** Duration in ms, both exclusive. */
  longerThan: (ms: number) => gt(requests.durationUs, ms * 1_000),
  shorterThan: (ms: number) => lt(requests.durationUs, ms * 1_000),
  /** The partner API has no such endpoint. A request that an earlier check rejected has none either. */
  isUnknown: (_: true) =>
    and(eq(requests.api, 'partner'), isNull(requests.endpoint), eq(requests.code, 'not_found')),
  /** Whether a fault acted. */
  hasFault: (hasFault: boolean) => sql`(${requests.fault} IS NOT NULL) = ${Number(hasFault)}`,
  /** Part of the path or query; `*` matches any text. */
  path: (path: string) => contains(requests.target, literally(path).replaceAll('*', '%')),
  /** An id, or a domain, in the target or a body. */
  names: (name: string) => or(...[target, body, response].map((part) => mentions(part, name))),
  /** Id or type of an event that the request caused. The head ends with the trace: {"check":"event",…}. */
  event: (event: string) => contains(head, `"check":"event",%"${literally(event)}"`),
  /** Text in the target, a header, a body, the response or the trace, ignoring case. */
  text: (text: string) =>
    or(...[target, head, body, response].map((part) => contains(part, literally(text)))),
};

type Conditions = {
  [Name in keyof typeof CONDITIONS]?: Parameters<(typeof CONDITIONS)[Name]>[0] | undefined;
};

/** Conditions of a list of requests, which must all hold. */
export interface RequestFilter extends Conditions {
  allOf?: readonly RequestFilter[] | undefined;
  anyOf?: readonly RequestFilter[] | undefined;
  not?: RequestFilter | undefined;
}

function conditionOf({ allOf = [], anyOf, not, ...filter }: RequestFilter): SQL | undefined {
  const conditions = Object.entries(CONDITIONS).map(([name, condition]) => {
    const value = filter[name as keyof Conditions];
    return value === undefined ? undefined : condition(value as never);
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

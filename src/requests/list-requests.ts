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
import { param } from '../store/prepared.ts';
import { finder } from '../store/table.ts';
import { type RequestRow, requests } from './log-file.ts';
import type { Api } from './message.ts';

/** What a list of requests is narrowed to. */
export interface RequestFilter {
  /** A status (`404`), a class of them (`4xx`), `error` for 400 and above, or `closed` for closed connections. */
  status?: string | undefined;
  code?: string | undefined;
  method?: string | undefined;
  /** Part of the path or query; `*` matches any text. */
  path?: string | undefined;
  keyId?: string | undefined;
  api?: Api | undefined;
  /** Text in the target, a header, a body, the response or the trace, in any case. */
  text?: string | undefined;
  /** Sandbox time, Unix ms: from inclusive, to exclusive. */
  from?: number | undefined;
  to?: number | undefined;
  /** Real time of receipt, Unix ms. */
  since?: number | undefined;
  /** Duration in Unix ms, both exclusive. */
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

interface Range extends Partial<SeqRange> {
  before?: number | undefined;
}

/** Newest first. @param page.limit -1 for all */
export function listRows(
  log: Store,
  filter: RequestFilter,
  { limit, ...range }: Range & { limit: number },
): RequestRow[] {
  const { columns, texts } = conditionsOf(filter);
  return log.db
    .select()
    .from(requests)
    .where(and(...within(range), ...columns, ...texts))
    .orderBy(desc(requests.seq))
    .limit(limit)
    .all();
}

/** Returns the number of the next matching entry after one. */
export function nextSeq(log: Store, filter: RequestFilter, after: number): number | undefined {
  const { columns, texts } = conditionsOf(filter);
  return log.db
    .select({ seq: requests.seq })
    .from(requests)
    .where(and(gt(requests.seq, after), ...columns, ...texts))
    .orderBy(requests.seq)
    .limit(1)
    .get()?.seq;
}

/** An index has all columns that filters read. */
const BY_COLUMNS = sql`requests INDEXED BY request_columns`;

/** The numbers of the entries of which the columns meet a filter, newest first. @param range.limit -1 for all */
export function seqsByColumns(
  log: Store,
  filter: RequestFilter,
  { limit, offset = 0, ...range }: Range & { limit: number; offset?: number },
): number[] {
  return log.db
    .select({ seq: sql<number>`seq` })
    .from(BY_COLUMNS)
    .where(and(...within(range), ...conditionsOf(filter).columns))
    .orderBy(desc(requests.seq))
    .limit(limit)
    .offset(offset)
    .all()
    .map(({ seq }) => seq);
}

/** How many entries have columns that meet a filter. */
export function countByColumns(log: Store, filter: RequestFilter, range: Range): number {
  const found = log.db
    .select({ total: count() })
    .from(BY_COLUMNS)
    .where(and(...within(range), ...conditionsOf(filter).columns))
    .get();
  return found?.total ?? 0;
}

/** Finds the entries of a span by their texts, too, newest first. */
export type TextSearch = (span: SeqRange) => number[];

/** Returns undefined if columns are enough. */
export function textSearch(log: Store, filter: RequestFilter): TextSearch | undefined {
  const { columns, texts } = conditionsOf(filter);
  if (texts.length === 0) return undefined;
  const query = log.db
    .select({ seq: requests.seq })
    .from(requests)
    .where(
      and(
        sql`${requests.seq} BETWEEN ${param('first')} AND ${param('last')}`,
        ...columns,
        ...texts,
      ),
    )
    .orderBy(desc(requests.seq))
    .prepare();
  return ({ first, last }) => query.all({ first, last }).map(({ seq }) => seq);
}

/** Newest first. */
export function rowsBySeq(log: Store, seqs: readonly number[]): RequestRow[] {
  return log.db
    .select()
    .from(requests)
    .where(inArray(requests.seq, [...seqs]))
    .orderBy(desc(requests.seq))
    .all();
}

function within({ before, first, last }: Range): (SQL | undefined)[] {
  return [
    before === undefined ? undefined : lt(requests.seq, before),
    first === undefined ? undefined : gte(requests.seq, first),
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

/** What a filter asks of the columns, and of the texts, which costs far more. */
interface Conditions {
  columns: SQL[];
  texts: SQL[];
}

type ConditionByField = {
  [Name in keyof RequestFilter]?: (value: NonNullable<RequestFilter[Name]>) => SQL | undefined;
};

const COLUMNS: ConditionByField = {
  reads: (reads) => sql`(${requests.method} IN ('GET', 'HEAD')) = ${Number(reads)}`,
  endpoints: (endpoints) => inArray(requests.endpoint, [...endpoints]),
  partnerId: (id) => eq(requests.partnerId, id),
  status: statusIs,
  code: (code) => eq(requests.code, code),
  method: (method) => eq(requests.method, method.toUpperCase()),
  keyId: (id) => eq(requests.keyId, id),
  api: (api) => eq(requests.api, api),
  from: (from) => gte(requests.at, from),
  to: (to) => lt(requests.at, to),
  since: (since) => gte(requests.receivedAt, since),
  longerThan: (ms) => gt(requests.durationUs, ms * 1_000),
  shorterThan: (ms) => lt(requests.durationUs, ms * 1_000),
  // Of the partner API, these never have another endpoint.
  isUnknown: () =>
    and(eq(requests.api, 'partner'), isNull(requests.endpoint), eq(requests.code, 'not_found')),
  hasFault: (hasFault) => sql`(${requests.fault} IS NOT NULL) = ${Number(hasFault)}`,
  path: (path) => contains(requests.target, literally(path).replaceAll('*', '%')),
};

const { target, head, headers, body, response } = requests;

const TEXTS: ConditionByField = {
  names: (name) => or(...[target, body, response].map((part) => mentions(part, name))),
  event: (event) => contains(head, `"check":"event",%"${literally(event)}"`),
  text: (text) =>
    or(...[head, headers, body, response].map((part) => contains(part, literally(text)))),
};

function conditionsOf(filter: RequestFilter): Conditions {
  const { allOf = [], anyOf, not } = filter;
  const inner = [
    ...allOf.map(conditionsOf),
    ...(anyOf ? [combined(anyOf.map(conditionsOf), (each) => or(...each))] : []),
    ...(not ? [combined([conditionsOf(not)], ([each]) => sql`(${each}) IS NOT TRUE`)] : []),
  ];
  return {
    columns: [...given(filter, COLUMNS), ...inner.flatMap(({ columns }) => columns)],
    texts: [...given(filter, TEXTS), ...inner.flatMap(({ texts }) => texts)],
  };
}

/** Returns the conditions of the fields that a filter has. */
function given(filter: RequestFilter, conditions: ConditionByField): SQL[] {
  return Object.entries(conditions).flatMap(([name, condition]) => {
    const value = filter[name as keyof RequestFilter];
    const make = condition as (value: unknown) => SQL | undefined;
    return value === undefined ? [] : (make(value) ?? []);
  });
}

/** Makes one condition of several, each a conjunction. */
function combined(
  all: readonly Conditions[],
  combine: (each: (SQL | undefined)[]) => SQL | undefined,
): Conditions {
  const condition = combine(
    all.map(({ columns, texts }) => and(...columns, ...texts) ?? sql`TRUE`),
  );
  const isOfColumns = all.every(({ texts }) => texts.length === 0);
  const made = condition ? [condition] : [];
  return isOfColumns ? { columns: made, texts: [] } : { columns: [], texts: made };
}

function statusIs(status: string): SQL {
  if (status === 'closed') return isNull(requests.status);
  if (status === 'error') return gte(requests.status, 400);
  if (!status.endsWith('xx')) return eq(requests.status, Number(status));
  const hundred = Number(status[0]) * 100;
  return sql`${requests.status} BETWEEN ${hundred} AND ${hundred + 99}`;
}

/** Whether a text has a name that is not a part of a longer one: of `x.io`, not `ax.io`. */
function mentions(column: SQLiteColumn, name: string): SQL | undefined {
  const part = '[^a-z0-9_.-]';
  const pattern = `*${part}${name.toLowerCase().replace(/[*?[]/g, '[$&]')}${part}*`;
  return and(
    contains(column, literally(name)),
    sql`lower(' ' || ${column} || ' ') GLOB ${pattern}`,
  );
}

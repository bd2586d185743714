import { and, between, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { notFound } from '../kernel/errors.ts';
import type { IdSeries } from '../kernel/ids.ts';
import type { Store } from '../store/open.ts';
import type { Api } from './apis.ts';
import { type RequestRow, requests } from './schema.ts';

/** What a list of requests may be narrowed to; members left out narrow nothing. */
export interface RequestFilter {
  /** A status (`404`), a class of them (`4xx`), or `cut` for those that got no answer. */
  status?: string | undefined;
  code?: string | undefined;
  method?: string | undefined;
  /** Part of the path or query; `*` stands for anything. */
  path?: string | undefined;
  keyId?: string | undefined;
  api?: Api | undefined;
  /** Text that occurs in the target, a header, a body, the answer or the trace, in any case of letters. */
  text?: string | undefined;
  /** Sandbox time, Unix ms: from inclusive, to exclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/** Newest first, those before the number `before`. */
export function listRequests(
  log: Store,
  filter: RequestFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): RequestRow[] {
  return log.db
    .select()
    .from(requests)
    .where(and(before === undefined ? undefined : lt(requests.seq, before), ...conditions(filter)))
    .orderBy(desc(requests.seq))
    .limit(limit)
    .all();
}

/** Of the rows from number `first` to `last` those that a filter lets through, oldest first. */
export function matching(
  log: Store,
  filter: RequestFilter,
  { first, last }: { first: number; last: number },
): RequestRow[] {
  return log.db
    .select()
    .from(requests)
    .where(and(between(requests.seq, first, last), ...conditions(filter)))
    .orderBy(requests.seq)
    .all();
}

/** @param ids of the log @throws not_found */
export function requireRequest(log: Store, ids: IdSeries, id: string): RequestRow {
  const seq = ids.read('req', id);
  const row =
    seq === undefined
      ? undefined
      : log.db.select().from(requests).where(eq(requests.seq, seq)).get();
  if (row) return row;
  throw notFound(
    `request_id: there is no request ${id} in the log, which keeps the newest only; GET /_sandbox/requests lists them`,
  );
}

function conditions(filter: RequestFilter): (SQL | undefined)[] {
  const { code, method, path, keyId, api, text, from, to } = filter;
  return [
    statusIs(filter.status),
    code === undefined ? undefined : eq(requests.code, code),
    method === undefined ? undefined : eq(requests.method, method.toUpperCase()),
    path === undefined
      ? undefined
      : contains(requests.target, literally(path).replaceAll('*', '%')),
    keyId === undefined ? undefined : eq(requests.keyId, keyId),
    api === undefined ? undefined : eq(requests.api, api),
    text === undefined ? undefined : anywhere(text),
    from === undefined ? undefined : gte(requests.at, from),
    to === undefined ? undefined : lt(requests.at, to),
  ];
}

function statusIs(status: string | undefined): SQL | undefined {
  if (status === undefined) return undefined;
  if (status === 'cut') return sql`${requests.status} IS NULL`;
  if (!status.endsWith('xx')) return eq(requests.status, Number(status));
  const hundred = Number(status[0]) * 100;
  return and(gte(requests.status, hundred), lt(requests.status, hundred + 100));
}

function anywhere(text: string): SQL | undefined {
  const { target, body, answer, detail } = requests;
  return or(...[target, body, answer, detail].map((column) => contains(column, literally(text))));
}

/** @param pattern of LIKE, with `\\` before what is meant literally */
function contains(column: SQLiteColumn, pattern: string): SQL {
  return sql`${column} LIKE ${`%${pattern}%`} ESCAPE '\\'`;
}

function literally(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

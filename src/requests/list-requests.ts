import { and, count, desc, eq, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { contains, literally } from '../store/like.ts';
import type { Store } from '../store/open.ts';
import { finder } from '../store/table.ts';
import { type RequestRow, requests } from './log-file.ts';

/** The entries that a list may have. */
interface Listed {
  world: string;
  /** Numbers of entries, both inclusive. */
  first: number;
  last: number | undefined;
  where: SQL | undefined;
}

/** Newest first. @param listed.limit -1 for all */
export function listRows(log: Store, { limit, ...listed }: Listed & { limit: number }) {
  return log.db
    .select()
    .from(requests)
    .where(conditionOf(listed))
    .orderBy(desc(requests.seq))
    .limit(limit)
    .all();
}

export function countRows(log: Store, listed: Listed): number {
  const counted = log.db.select({ n: count() }).from(requests);
  return counted.where(conditionOf(listed)).get()?.n ?? 0;
}

function conditionOf({ world, first, last, where }: Listed): SQL | undefined {
  return and(
    eq(requests.world, world),
    gte(requests.seq, first),
    last === undefined ? undefined : lte(requests.seq, last),
    where,
  );
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

const { target, head, body, responseBody } = requests;

/** A status (`404`), a class of them (`4xx`), `error` for 400 and above, or `closed` for closed connections. */
export function hasStatus(status: string): SQL {
  if (status === 'closed') return isNull(requests.status);
  if (status === 'error') return gte(requests.status, 400);
  if (!status.endsWith('xx')) return eq(requests.status, Number(status));
  const hundred = Number(status[0]) * 100;
  return sql`${requests.status} BETWEEN ${hundred} AND ${hundred + 99}`;
}

/** The partner API has no such endpoint. A request that an earlier check rejected has none either. */
export const isUnknownEndpoint = and(
  eq(requests.api, 'partner'),
  isNull(requests.endpoint),
  eq(requests.code, 'not_found'),
);

/** Part of the path or query; `*` matches any text. */
export function hasPath(path: string): SQL {
  return contains(target, literally(path).replaceAll('*', '%'));
}

/** Text in the target, a header, a body, the response or the trace, ignoring case. */
export function hasText(text: string): SQL | undefined {
  return or(...[target, head, body, responseBody].map((part) => contains(part, literally(text))));
}

/** An id, or a domain, in the target or a body. */
export function hasName(name: string): SQL | undefined {
  return or(...[target, body, responseBody].map((part) => mentions(part, name)));
}

/** Id or type of an event that the request caused. The head ends with the trace: {"check":"event",…}. */
export function hasEvent(event: string): SQL {
  return contains(head, `"check":"event",%"${literally(event)}"`);
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

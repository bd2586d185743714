import { and, desc, gt, gte, inArray, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../store/open.ts';
import { finder } from '../store/table.ts';
import type { EntryHead } from './log-entry.ts';
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
  partnerId?: string | undefined;
  /** Declared paths, `/_sandbox` included. */
  endpoints?: readonly string[] | undefined;
  /** True for GET and HEAD, false for all others. */
  reads?: boolean | undefined;
  anyOf?: readonly RequestFilter[] | undefined;
}

/** Numbers of entries, both inclusive. */
export interface SeqRange {
  first: number;
  last: number;
}

/** Newest first. @param page.limit -1 for all */
export function listRows(
  log: Store,
  filter: RequestFilter,
  {
    before,
    first,
    last,
    limit,
  }: Partial<SeqRange> & { before?: number | undefined; limit: number },
): RequestRow[] {
  return log.db
    .select()
    .from(requests)
    .where(
      and(
        before === undefined ? undefined : lt(requests.seq, before),
        first === undefined ? undefined : gte(requests.seq, first),
        last === undefined ? undefined : lte(requests.seq, last),
        ...conditions(filter),
      ),
    )
    .orderBy(desc(requests.seq))
    .limit(limit)
    .all();
}

/** Returns the number of the next matching entry after one. */
export function nextSeq(log: Store, filter: RequestFilter, after: number): number | undefined {
  return log.db
    .select({ seq: requests.seq })
    .from(requests)
    .where(and(gt(requests.seq, after), ...conditions(filter)))
    .orderBy(requests.seq)
    .limit(1)
    .get()?.seq;
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

function conditions(filter: RequestFilter): (SQL | undefined)[] {
  const { status, code, method, path, keyId, api, text, from, to } = filter;
  const { partnerId, endpoints, reads, anyOf } = filter;
  const equals = (name: keyof EntryHead, value: unknown) =>
    value === undefined ? undefined : sql`${field(name)} = ${value}`;
  return [
    // Searching texts costs the most, so it comes last.
    reads === undefined
      ? undefined
      : sql`(${field('method')} IN ('GET', 'HEAD')) = ${Number(reads)}`,
    endpoints === undefined ? undefined : inArray(field('endpoint'), [...endpoints]),
    equals('partnerId', partnerId),
    statusIs(status),
    equals('code', code),
    equals('method', method?.toUpperCase()),
    equals('keyId', keyId),
    equals('api', api),
    path === undefined
      ? undefined
      : contains(field('target'), literally(path).replaceAll('*', '%')),
    text === undefined ? undefined : anywhere(text),
    from === undefined ? undefined : sql`${field('at')} >= ${from}`,
    to === undefined ? undefined : sql`${field('at')} < ${to}`,
    anyOf === undefined ? undefined : or(...anyOf.map((each) => and(...conditions(each)))),
  ];
}

function field(name: keyof EntryHead): SQL {
  return sql.raw(`head ->> '$.${name}'`);
}

function statusIs(status: string | undefined): SQL | undefined {
  if (status === undefined) return undefined;
  if (status === 'closed') return sql`${field('status')} IS NULL`;
  if (status === 'error') return sql`${field('status')} >= 400`;
  if (!status.endsWith('xx')) return sql`${field('status')} = ${Number(status)}`;
  const hundred = Number(status[0]) * 100;
  return sql`${field('status')} BETWEEN ${hundred} AND ${hundred + 99}`;
}

function anywhere(text: string): SQL | undefined {
  const { head, headers, body, response } = requests;
  return or(
    ...[head, headers, body, response].map((column) => contains(sql`${column}`, literally(text))),
  );
}

/** @param pattern of LIKE, with `\\` before what is meant literally */
function contains(value: SQL, pattern: string): SQL {
  return sql`${value} LIKE ${`%${pattern}%`} ESCAPE '\\'`;
}

function literally(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Conditions of logged requests. The column `head` is JSON: headers, checks and other parts without a column. */
import { and, eq, gte, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { contains, literally } from '../store/like.ts';
import { requests } from './log-file.ts';
import type { Check } from './trace.ts';

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

/** Text in the target, also percent-encoded, a header, a body, the response or the trace, ignoring case. */
export function hasText(text: string): SQL | undefined {
  const inJson = JSON.stringify(text).slice(1, -1);
  return or(
    ...[head, body, responseBody].map((part) => contains(part, literally(inJson))),
    contains(target, literally(encodeURIComponent(text.toWellFormed()))),
    ...[target, body, responseBody].map((part) => contains(part, literally(text))),
  );
}

/** A text that is the whole value of a header, or of another field of the head. */
export function hasHeaderValue(text: string): SQL {
  return contains(head, literally(JSON.stringify(text)));
}

/** An id, or a domain, in the target or a body. */
export function hasName(name: string): SQL | undefined {
  return or(...[target, body, responseBody].map((part) => mentions(part, name)));
}

/** A name or a value in the detail of a check, or of a later one. The head ends with the trace: {"check":"event",…}. */
export function hasStep(check: Check, text: string): SQL {
  return contains(head, `"check":"${literally(check)}",%"${literally(text)}"`);
}

/** Whether a text has a name as a whole word: `x.io`, not `ax.io`. */
function mentions(column: SQLiteColumn, name: string): SQL | undefined {
  const boundary = '[^a-z0-9_.-]';
  const pattern = `*${boundary}${name.toLowerCase().replace(/[*?[]/g, '[$&]')}${boundary}*`;
  return and(
    // First, because it needs no copy in lower case.
    contains(column, literally(name)),
    sql`lower(' ' || ${column} || ' ') GLOB ${pattern}`,
  );
}

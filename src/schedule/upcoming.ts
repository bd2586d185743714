import { sql } from 'drizzle-orm';
import { type Page, type PageRequest, paginate, readCursor } from '../store/paging.ts';
import type { Tx } from '../store/transaction.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';

/** Work or an expiry that the sandbox clock will reach. */
export interface Upcoming {
  kind: 'delivery' | 'order_move' | 'quote_expiry' | 'checkout_expiry';
  /** Unix ms of sandbox time. */
  at: number;
  /** Id of the delivery, order, quote or checkout session. */
  id: string;
  /** What happens, for people: "start_transfer of auto-complete.test". */
  what: string;
}

/** A part of the list: at most `limit` items (-1: all) after the given one. */
interface Slice {
  limit: number;
  after?: { at: number; id: string } | undefined;
}

/** Lists upcoming work and expiries, soonest first, then by id. */
export function upcoming(tx: Tx, { limit, after }: Slice): Upcoming[] {
  const isAfter = after ? sql`(at, id) > (${after.at}, ${after.id})` : sql`TRUE`;
  return tx.db.all<Upcoming>(
    sql`SELECT * FROM (${scheduled(tx)}) WHERE ${isAfter} ORDER BY at, id LIMIT ${limit}`,
  );
}

/** @throws validation_error for a cursor of another list */
export function listUpcoming(tx: Tx, page: PageRequest): Page<Upcoming> {
  const [at, id = ''] = readCursor(tx, 'upcoming', page)?.split(' ') ?? [];
  const after = at === undefined ? undefined : { at: Number(at), id };
  const rows = upcoming(tx, { limit: page.limit + 1, after });
  return paginate(tx, 'upcoming', rows, page, (row) => `${row.at} ${row.id}`);
}

/** Selects the deliveries and moves that are pending, and the quotes and checkout sessions that have not expired. */
function scheduled({ now }: Tx) {
  // Manual resends may exceed the attempts of the schedule.
  const attempt = sql`'attempt ' || (attempt_count + 1) ||
    CASE WHEN attempt_count < ${MAX_ATTEMPTS} THEN ${` of ${MAX_ATTEMPTS}`} ELSE ', manual,' END`;
  const subject = sql`coalesce(data ->> '$.order.domain', data ->> '$.case.domain', subject_id)`;
  return sql`
    SELECT 'delivery' AS kind, next_attempt_at AS at, deliveries.id AS id,
      ${attempt} || ' to deliver ' || type || ' of ' || ${subject} AS what
    FROM deliveries JOIN events ON events.id = event_id WHERE deliveries.status = 'pending'
    UNION ALL
    SELECT 'order_move', due_at, order_id, action || ' of ' || domain
    FROM scheduled_moves JOIN orders ON orders.id = order_id
    UNION ALL
    SELECT 'quote_expiry', expires_at, id, 'the quote for ' || domain || ' expires'
    FROM quotes WHERE order_id IS NULL AND expires_at > ${now}
    UNION ALL
    SELECT 'checkout_expiry', expires_at, id, 'the checkout session for ' || domain || ' expires'
    FROM checkout_sessions WHERE status = 'OPEN' AND expires_at > ${now}`;
}

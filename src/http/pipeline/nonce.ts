import { sql } from 'drizzle-orm';
import { CodedError } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Db } from '../../store/open.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { nonces } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { hashOf, NonceIndex } from './nonce-index.ts';

/** Decisions, "Authentication": how long a nonce is tracked per credential. */
export const NONCE_TRACKED_MS = 600 * SECOND;

/** Rows past their time are removed by so many, one batch for half as many new ones. */
const PRUNED_AT_ONCE = 200;

const insert = inserter(nonces);
const usedSince = prepared(({ $client }) =>
  $client
    .prepare<[since: number], [keyId: string, nonce: string, usedAt: number]>(
      'SELECT key_id, nonce, used_at FROM nonces WHERE used_at > ? ORDER BY id',
    )
    .raw(),
);
/** The oldest come first, and none is looked at that is not among them. */
const prune = prepared((db) =>
  db
    .delete(nonces)
    .where(
      sql`${nonces.id} IN (SELECT id FROM nonces ORDER BY id LIMIT ${PRUNED_AT_ONCE}) AND ${nonces.usedAt} <= ${param('before')}`,
    )
    .prepare(),
);

interface Known {
  index: NonceIndex;
  /** Since rows were last removed. */
  added: number;
}

/** What the rows of each database say, for looking it up without them. */
const knownIn = new WeakMap<Db, Known>();

/**
 * Uses a nonce up, on the real clock (specification, "Replay protection"). Rows are only ever appended, so a
 * turn writes one page of them however many requests it has; they are read when a database is opened.
 * @throws replay_detected
 */
export function useNonce(tx: Tx, keyId: string, nonce: string): void {
  const known = knownIn.get(tx.db) ?? readKnown(tx);
  const hash = hashOf(`${keyId}\n${nonce}`);
  if (known.index.wasUsed(hash, tx.realNow)) {
    throw new CodedError(
      'replay_detected',
      'X-Service-Nonce: was used already; every request, a retry too, needs a fresh one',
    );
  }
  known.index.use(hash, tx.realNow);
  insert(tx, { keyId, nonce, usedAt: tx.realNow });
  known.added += 1;
  if (known.added < PRUNED_AT_ONCE / 2) return;
  known.added = 0;
  prune(tx).run({ before: tx.realNow - NONCE_TRACKED_MS });
}

function readKnown(tx: Tx): Known {
  const index = new NonceIndex(NONCE_TRACKED_MS);
  for (const row of usedSince(tx).iterate(tx.realNow - NONCE_TRACKED_MS)) {
    const [keyId, nonce, usedAt] = row as unknown as [string, string, number];
    index.use(hashOf(`${keyId}\n${nonce}`), usedAt);
  }
  const known = { index, added: 0 };
  knownIn.set(tx.db, known);
  return known;
}

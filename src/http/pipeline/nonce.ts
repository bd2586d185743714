import { and, eq, lt, sql } from 'drizzle-orm';
import { CodedError } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Db } from '../../store/open.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { nonces } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

/** Decisions, "Authentication": how long a nonce is tracked per credential. */
export const NONCE_TRACKED_MS = 600 * SECOND;

const insert = inserter(nonces);
const usedSince = prepared((db) =>
  db
    .select({ usedAt: nonces.usedAt })
    .from(nonces)
    .where(
      and(
        sql`${nonces.bucket} IN (${param('bucket')}, ${param('bucket')} - 1)`,
        eq(nonces.keyId, param('keyId')),
        eq(nonces.nonce, param('nonce')),
        sql`${nonces.usedAt} > ${param('since')}`,
      ),
    )
    .prepare(),
);
const prune = prepared((db) =>
  db
    .delete(nonces)
    .where(lt(nonces.bucket, sql`${param('bucket')} - 1`))
    .prepare(),
);
/** The bucket in which each database was last pruned. */
const prunedIn = new WeakMap<Db, number>();

/**
 * Uses a nonce up, on the real clock (specification, "Replay protection").
 * @throws replay_detected
 */
export function useNonce(tx: Tx, keyId: string, nonce: string): void {
  const bucket = Math.floor(tx.realNow / NONCE_TRACKED_MS);
  const since = tx.realNow - NONCE_TRACKED_MS;
  if (usedSince(tx).get({ bucket, keyId, nonce, since })) {
    throw new CodedError(
      'replay_detected',
      'X-Service-Nonce: was used already; every request, a retry too, needs a fresh one',
    );
  }
  if (prunedIn.get(tx.db) !== bucket) {
    prune(tx).run({ bucket });
    prunedIn.set(tx.db, bucket);
  }
  insert(tx, { bucket, keyId, nonce, usedAt: tx.realNow });
}

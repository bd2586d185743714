import { and, eq, sql } from 'drizzle-orm';
import { CodedError, conflict, validationError } from '../../kernel/errors.ts';
import { DAY } from '../../kernel/time.ts';
import type { Trace } from '../../requests/trace.ts';
import { sha256Hex } from '../../signing/hash.ts';
import type { Db } from '../../store/open.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { idempotencyKeys } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Reply } from '../reply.ts';

/** Decisions, "Idempotency": on the sandbox clock. */
export const KEY_KEPT_MS = DAY;

/** Expired rows are removed by so many at once, one batch for half as many new rows. */
const PRUNED_AT_ONCE = 200;

const insert = inserter(idempotencyKeys);
const find = prepared((db) =>
  db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.keyId, param('keyId')),
        eq(idempotencyKeys.idempotencyKey, param('idempotencyKey')),
      ),
    )
    .prepare(),
);
const forget = prepared((db) =>
  db
    .delete(idempotencyKeys)
    .where(eq(idempotencyKeys.id, param('id')))
    .prepare(),
);

/** The oldest come first, and a row after the first so many is not looked at. */
const prune = prepared((db) =>
  db
    .delete(idempotencyKeys)
    .where(
      sql`${idempotencyKeys.id} IN (SELECT id FROM idempotency_keys ORDER BY id LIMIT ${PRUNED_AT_ONCE}) AND ${idempotencyKeys.createdAt} <= ${param('before')}`,
    )
    .prepare(),
);

/** How many rows were added since expired ones were last removed, by database. */
const added = new WeakMap<Db, number>();

/** Removes expired rows once in a while; a process that does not live long removes some too. */
function pruneExpired(tx: Tx): void {
  const count = (added.get(tx.db) ?? PRUNED_AT_ONCE / 2) + 1;
  const isDue = count > PRUNED_AT_ONCE / 2;
  if (isDue) prune(tx).run({ before: tx.now - KEY_KEPT_MS });
  added.set(tx.db, isDue ? 0 : count);
}

/**
 * Answers once per Idempotency-Key: the recorded answer replays byte for byte, and only a recorded answer
 * binds the key (specification, "Replay protection and idempotency").
 * @throws missing_idempotency_key, validation_error, conflict, and what `answer` throws
 */
export function answerOnce(
  tx: Tx,
  keyId: string,
  header: string | undefined,
  body: Uint8Array,
  trace: Trace,
  answer: () => Reply,
): Reply {
  trace.check('idempotency');
  const idempotencyKey = requireKey(header);
  const fingerprint = sha256Hex(body);
  const bound = find(tx).get({ keyId, idempotencyKey });
  const expired = bound !== undefined && bound.createdAt <= tx.now - KEY_KEPT_MS;
  const known = expired ? undefined : bound;
  trace.note({ key: idempotencyKey, found: outcomeOf(known, fingerprint) });
  if (known && known.fingerprint !== fingerprint) {
    throw conflict('Idempotency-Key: used already with a different body');
  }
  if (known) return { status: known.status, body: known.body };
  const reply = answer();
  const { status } = reply;
  if (expired) forget(tx).run({ id: bound.id });
  pruneExpired(tx);
  insert(tx, {
    keyId,
    idempotencyKey,
    fingerprint,
    status,
    body: reply.body,
    createdAt: tx.now,
  });
  return reply;
}

function outcomeOf(known: { fingerprint: string } | undefined, fingerprint: string): string {
  if (!known) return 'nothing: the key is new';
  return known.fingerprint === fingerprint ? 'the stored answer' : 'another body';
}

function requireKey(header: string | undefined): string {
  if (header === undefined) {
    throw new CodedError(
      'missing_idempotency_key',
      'Idempotency-Key: this request needs one; a UUID v4 is recommended',
    );
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw validationError('Idempotency-Key: must be 1 to 255 visible ASCII characters');
  }
  return header;
}

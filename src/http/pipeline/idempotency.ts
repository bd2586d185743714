import { and, eq } from 'drizzle-orm';
import { CodedError, conflict, validationError } from '../../kernel/errors.ts';
import { DAY } from '../../kernel/time.ts';
import type { Trace } from '../../requests/trace.ts';
import { sha256Hex } from '../../signing/hash.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { idempotencyKeys } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Reply } from '../reply.ts';

/** Decisions, "Idempotency": on the sandbox clock. */
export const KEY_KEPT_MS = DAY;

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

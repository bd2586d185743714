import { and, lte, sql } from 'drizzle-orm';
import { CodedError, conflict, validationError } from '../../kernel/errors.ts';
import { DAY } from '../../kernel/time.ts';
import { param, prepared } from '../../store/prepared.ts';
import { idempotencyKeys } from '../../store/schema/partners.ts';
import { inserter, matching, remover, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import type { ApiResponse } from '../response.ts';
import type { RequestContext } from './context.ts';

/** How long a key is kept, on the sandbox clock. */
const KEY_KEPT_MS = DAY;

const insertKey = inserter(idempotencyKeys);
const findKey = select(idempotencyKeys, {
  where: [matching(idempotencyKeys, 'keyId', 'idempotencyKey')],
});
const removeKey = remover(idempotencyKeys, 'id');

/** Expired keys are deleted in batches of this size, one batch for half as many new keys. */
const PRUNED_AT_ONCE = 200;
const { id, createdAt } = idempotencyKeys;
const pruneKeys = prepared((db) =>
  db
    .delete(idempotencyKeys)
    .where(
      and(
        sql`${id} IN (SELECT id FROM ${idempotencyKeys} ORDER BY id LIMIT ${sql.raw(`${PRUNED_AT_ONCE}`)})`,
        lte(createdAt, param('before')),
      ),
    )
    .prepare(),
);

/**
 * Finds the response stored under the Idempotency-Key, which replays byte for byte (specification, "Replay protection
 * and idempotency").
 * @throws missing_idempotency_key, validation_error, conflict
 */
export function replayStoredResponse(context: RequestContext, tx: Tx): ApiResponse | undefined {
  const { credential, bodySha256, trace, request } = context;
  const idempotencyKey = requireKey(request.header('idempotency-key'));
  const row = findKey(tx).get({ keyId: credential.keyId, idempotencyKey });
  const isExpired = row !== undefined && row.createdAt <= tx.now - KEY_KEPT_MS;
  context.idempotency = { idempotencyKey, expiredId: isExpired ? row.id : undefined };
  if (!row || isExpired) {
    trace.note({ key: idempotencyKey, outcome: 'new' });
    return undefined;
  }
  const isSameBody = row.fingerprint === bodySha256;
  trace.note({ key: idempotencyKey, outcome: isSameBody ? 'replayed' : 'other_body' });
  if (!isSameBody) throw conflict('Idempotency-Key: already used with a different body');
  return { status: row.status, body: row.body };
}

/** Binds the Idempotency-Key to the response. Only a recorded sale reaches this step. */
export function storeResponse(
  { credential, bodySha256, idempotency, response }: RequestContext,
  tx: Tx,
): undefined {
  const { idempotencyKey, expiredId } = idempotency;
  if (expiredId !== undefined) removeKey(tx, { id: expiredId });
  const newId = insertKey(tx, {
    keyId: credential.keyId,
    idempotencyKey,
    fingerprint: bodySha256,
    status: response.status,
    body: response.body,
    createdAt: tx.now,
  });
  // When it deletes depends on the id alone, so that a replay deletes the same rows.
  if (newId % (PRUNED_AT_ONCE / 2) === 0) pruneKeys(tx).run({ before: tx.now - KEY_KEPT_MS });
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

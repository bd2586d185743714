import { sql } from 'drizzle-orm';
import { CodedError, validationError } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Db } from '../../store/open.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { nonces } from '../../store/schema/partners.ts';
import type { BeforeCommit, Tx } from '../../store/transaction.ts';
import type { RequestContext } from './context.ts';
import { hashOf, NonceIndex } from './nonce-index.ts';

/** Decisions, "Authentication": how long a nonce is tracked per credential. */
export const NONCE_TRACKED_MS = 600 * SECOND;

/** Rows past their time are removed by so many, one batch for half as many new rows. */
const PRUNED_AT_ONCE = 200;

const insert = inserter(nonces);
const usedSince = prepared(({ $client }) =>
  $client
    .prepare<[since: number], [usedAt: number, uses: string]>(
      'SELECT used_at, uses FROM nonces WHERE used_at > ? ORDER BY id',
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

/** What the rows of a database say, for looking it up without them, and what is to become its next row. */
class UsedNonces {
  readonly #index = new NonceIndex(NONCE_TRACKED_MS);
  #uses = '';
  #lastUsedAt = 0;
  /** Since rows were last removed; a process that does not live long removes some too. */
  #rows = PRUNED_AT_ONCE / 2;

  constructor(tx: Tx) {
    for (const row of usedSince(tx).iterate(tx.realNow - NONCE_TRACKED_MS)) {
      const [usedAt, uses] = row as unknown as [number, string];
      for (const use of uses.split('\n')) this.#index.use(hashOf(use), usedAt);
    }
  }

  /** @returns whether this is its first use */
  use(tx: Tx, use: string): boolean {
    const hash = hashOf(use);
    if (this.#index.wasUsed(hash, tx.realNow)) return false;
    this.#index.use(hash, tx.realNow);
    this.#uses += this.#uses === '' ? use : `\n${use}`;
    this.#lastUsedAt = tx.realNow;
    tx.beforeCommit(this.#write);
    return true;
  }

  /** Rows are only ever appended, one for a turn however many requests it has. */
  readonly #write: BeforeCommit = (on) => {
    insert(on, { usedAt: this.#lastUsedAt, uses: this.#uses });
    this.#rows += 1;
    if (this.#rows > PRUNED_AT_ONCE / 2) {
      prune(on).run({ before: this.#lastUsedAt - NONCE_TRACKED_MS });
      this.#rows = 0;
    }
    // Of a commit that fails they are written with the next.
    return () => {
      this.#uses = '';
    };
  };
}

const usedIn = new WeakMap<Db, UsedNonces>();

/**
 * Uses a nonce up, on the real clock (specification, "Replay protection").
 * @throws validation_error for a malformed nonce, replay_detected
 */
export function useNonce({ signing }: Pick<RequestContext, 'signing'>, tx: Tx): undefined {
  const { keyId, nonce } = signing;
  if (!/^[\x21-\x7e]{1,128}$/.test(nonce)) {
    throw validationError('X-Service-Nonce: must be 1 to 128 visible ASCII characters');
  }
  const used = usedIn.get(tx.db) ?? new UsedNonces(tx);
  usedIn.set(tx.db, used);
  if (used.use(tx, `${keyId} ${nonce}`)) return;
  throw new CodedError(
    'replay_detected',
    'X-Service-Nonce: already used; use a fresh nonce for each request, retries included',
  );
}

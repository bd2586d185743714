import { CodedError, validationError } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Db } from '../../store/open.ts';
import { prepared } from '../../store/prepared.ts';
import { nonces } from '../../store/schema/partners.ts';
import { inserter, pruner } from '../../store/table.ts';
import type { BeforeCommit, Tx } from '../../store/transaction.ts';
import type { RequestContext } from './context.ts';

/** How long a nonce is tracked per credential. */
const NONCE_TRACKED_MS = 600 * SECOND;

const insert = inserter(nonces);
const usedSince = prepared(({ $client }) =>
  $client
    .prepare<[since: number], [usedAt: number, uses: string]>(
      'SELECT used_at, uses FROM nonces WHERE used_at > ? ORDER BY id',
    )
    .raw(),
);
const prune = pruner(nonces, nonces.usedAt);

/** When each nonce of each key was used. */
type Uses = Map<string, Map<string, number>>;

/** When nonces were used, for `trackedMs`. It is kept in two maps, of which the older one is dropped as a whole. */
export class RecentNonces {
  #older: Uses = new Map();
  #newer: Uses = new Map();
  #newerSince = Number.NEGATIVE_INFINITY;
  readonly #trackedMs: number;

  constructor(trackedMs: number) {
    this.#trackedMs = trackedMs;
  }

  /** @param now real time, Unix ms */
  has(keyId: string, nonce: string, now: number): boolean {
    const at = this.#newer.get(keyId)?.get(nonce) ?? this.#older.get(keyId)?.get(nonce);
    // If the clock was set back, a nonce of the future is in use too.
    return at !== undefined && now - at < this.#trackedMs;
  }

  add(keyId: string, nonce: string, now: number): void {
    if (now - this.#newerSince > this.#trackedMs) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#newerSince = now;
    }
    const ofKey = this.#newer.get(keyId);
    if (ofKey) ofKey.set(nonce, now);
    else this.#newer.set(keyId, new Map([[nonce, now]]));
  }
}

/** The used nonces of a database, read from its rows once, and those of the open transaction. */
class UsedNonces {
  readonly #recent = new RecentNonces(NONCE_TRACKED_MS);
  #uses = '';
  #lastUsedAt = 0;

  constructor(tx: Tx) {
    for (const row of usedSince(tx).iterate(tx.realNow - NONCE_TRACKED_MS)) {
      const [usedAt, uses] = row as unknown as [number, string];
      for (const use of uses.split('\n')) {
        const [keyId = '', nonce = ''] = use.split(' ');
        this.#recent.add(keyId, nonce, usedAt);
      }
    }
  }

  /** Returns whether this is the first use. */
  use(tx: Tx, keyId: string, nonce: string): boolean {
    if (this.#recent.has(keyId, nonce, tx.realNow)) return false;
    this.#recent.add(keyId, nonce, tx.realNow);
    this.#uses += `${this.#uses === '' ? '' : '\n'}${keyId} ${nonce}`;
    this.#lastUsedAt = tx.realNow;
    tx.beforeCommit(this.#write);
    return true;
  }

  /** Appends one row per commit, however many requests it has: a row per nonce costs 5 µs more. */
  readonly #write: BeforeCommit = (on) => {
    const id = insert(on, { usedAt: this.#lastUsedAt, uses: this.#uses });
    prune(on, id, this.#lastUsedAt - NONCE_TRACKED_MS);
    // If the commit fails, they are written with the next one.
    return () => {
      this.#uses = '';
    };
  };
}

const usedIn = new WeakMap<Db, UsedNonces>();

/**
 * Marks a nonce as used, on the real clock (specification, "Replay protection").
 * @throws validation_error for a malformed nonce, replay_detected
 */
export function useNonce({ signing }: Pick<RequestContext, 'signing'>, tx: Tx): undefined {
  const { keyId, nonce } = signing;
  if (!/^[\x21-\x7e]{1,128}$/.test(nonce)) {
    throw validationError('X-Service-Nonce: must be 1 to 128 visible ASCII characters');
  }
  const used = usedIn.get(tx.db) ?? new UsedNonces(tx);
  usedIn.set(tx.db, used);
  if (used.use(tx, keyId, nonce)) return;
  throw new CodedError(
    'replay_detected',
    'X-Service-Nonce: already used; use a fresh nonce for each request, retries included',
  );
}

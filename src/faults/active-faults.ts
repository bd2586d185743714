import type { Db } from '../store/open.ts';
import { faults } from '../store/schema/faults.ts';
import { select } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import type { RequestEffect, WebhookEffect } from './fault-effects.ts';
import { givenFields } from './fault-fields.ts';
import {
  type DeliveryTarget,
  type FaultMatch,
  FILTERS,
  type RequestTarget,
} from './fault-matchers.ts';

/** A fault without its counters, which are read from its row. */
export interface ActiveFault<Target, Effect> {
  seq: number;
  faultId: string;
  match: FaultMatch;
  effect: Effect;
  matches(target: Target): boolean;
}

/** The faults of a world, in matching order. */
interface ActiveFaults {
  requests: readonly ActiveFault<RequestTarget, RequestEffect>[];
  webhooks: readonly ActiveFault<DeliveryTarget, WebhookEffect>[];
}

const allFaults = select(faults, { orderBy: [faults.seq] });

/** The committed faults of each database. A reset or restored world has another database. */
const known = new WeakMap<Db, ActiveFaults>();

/** Returns the faults and caches them after the commit. Must be called in a transaction. */
export function activeFaults(tx: Tx): ActiveFaults {
  const cached = known.get(tx.db);
  if (cached) return cached;
  const read = readFaults(tx);
  // A lost commit removes its faults, so they are cached after the commit only.
  tx.afterCommit(() => known.set(tx.db, read));
  return read;
}

/** Whether a webhook fault exists. Needs no transaction. */
export function hasWebhookFaults(tx: Tx): boolean {
  return (known.get(tx.db) ?? readFaults(tx)).webhooks.length > 0;
}

/** Clears the cache. Must be called in the transaction that adds or deletes a fault. */
export function faultsChanged(tx: Tx): void {
  known.delete(tx.db);
  // Again after the commit: a request of the same commit may have cached the faults before this change.
  tx.afterCommit(() => known.delete(tx.db));
}

function readFaults(tx: Tx): ActiveFaults {
  const rows = allFaults(tx).all();
  return {
    requests: rows.flatMap(({ seq, id, match, effect }) =>
      effect ? [{ seq, faultId: id, match, effect, matches: compile<RequestTarget>(match) }] : [],
    ),
    webhooks: rows.flatMap(({ seq, id, match, webhook }) =>
      webhook
        ? [{ seq, faultId: id, match, effect: webhook, matches: compile<DeliveryTarget>(match) }]
        : [],
    ),
  };
}

function compile<Target>(match: FaultMatch): (target: Target) => boolean {
  const tests = givenFields(FILTERS, match).map(
    // Validation lets no filter into a fault of the other kind, so each gets the target it knows.
    ({ row, value }) => row.filter(value) as (target: Target) => boolean,
  );
  return (target) => tests.every((test) => test(target));
}

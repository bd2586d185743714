import { asc } from 'drizzle-orm';
import type { Db } from '../store/open.ts';
import { prepared } from '../store/prepared.ts';
import {
  type CallEffect,
  type FaultMatch,
  faults,
  type WebhookEffect,
} from '../store/schema/faults.ts';
import type { Tx } from '../store/transaction.ts';
import { type PathPattern, readPathPattern } from './path-pattern.ts';

/** A rule without its counters, which are read from its row whenever they matter. */
export interface Rule<Effect> {
  seq: number;
  faultId: string;
  match: FaultMatch;
  effect: Effect;
}

export interface CallRule extends Rule<CallEffect> {
  path: PathPattern | undefined;
}

/** The rules of a world, in the order in which they are asked. */
export interface Rules {
  calls: readonly CallRule[];
  deliveries: readonly Rule<WebhookEffect>[];
}

const select = prepared((db) => db.select().from(faults).orderBy(asc(faults.seq)).prepare());

/** What each database holds, once it is durable. A reset or restored world is another database. */
const known = new WeakMap<Db, Rules>();

/** To be called in a turn of the world: what is read is kept once that turn is durable. */
export function standingRules(tx: Tx): Rules {
  const kept = known.get(tx.db);
  if (kept) return kept;
  const rules = readRules(tx);
  // A lost commit takes its rules back, and then nobody must go on believing in them.
  tx.afterCommit(() => known.set(tx.db, rules));
  return rules;
}

/** As `standingRules`, outside a turn. */
export function peekRules(tx: Tx): Rules {
  return known.get(tx.db) ?? readRules(tx);
}

/** To be called in the transaction that changes a rule. */
export function rulesChanged(tx: Tx): void {
  known.delete(tx.db);
  // Again behind those who read in this turn before the change.
  tx.afterCommit(() => known.delete(tx.db));
}

function readRules(tx: Tx): Rules {
  const rows = select(tx).all();
  return {
    calls: rows.flatMap(({ seq, id, match, effect }) => {
      const path = match.path === undefined ? undefined : readPathPattern(match.path);
      return effect ? [{ seq, faultId: id, match, effect, path }] : [];
    }),
    deliveries: rows.flatMap(({ seq, id, match, webhook }) =>
      webhook ? [{ seq, faultId: id, match, effect: webhook }] : [],
    ),
  };
}

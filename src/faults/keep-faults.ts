import { asc, eq, gt, type InferSelectModel } from 'drizzle-orm';
import { ERROR_STATUS, notFound } from '../kernel/errors.ts';
import { isoTime } from '../kernel/time.ts';
import { cutPage, type PageRequest, readCursor } from '../store/paging.ts';
import { type CallEffect, faults } from '../store/schema/faults.ts';
import type { Tx } from '../store/transaction.ts';
import { codesOf, type FaultWish } from './find-problem.ts';
import { rulesChanged } from './standing-rules.ts';

export type Fault = InferSelectModel<typeof faults>;

/** A rule with the id that the configuration file gives it, or that the world does. */
export interface NewFault extends FaultWish {
  fault_id?: string | undefined;
  configured?: boolean;
  /** Where it goes on counting. */
  matched?: number;
  hits?: number;
}

/** Puts a rule in place, behind those that are there. The wish has no problem (`findProblem`). */
export function addFault(tx: Tx, wish: NewFault): Fault {
  const { fault_id: id, match, effect, webhook, times, configured, matched, hits } = wish;
  const added = tx.db
    .insert(faults)
    .values({
      id: id ?? tx.nextId('flt'),
      match,
      effect: effect ? withError(effect) : null,
      webhook: webhook ?? null,
      times: times ?? null,
      matched: matched ?? 0,
      hits: hits ?? 0,
      configured: configured ?? false,
      createdAt: tx.now,
    })
    .returning()
    .get();
  rulesChanged(tx);
  return added;
}

/** A status says which code, and a code which status. */
export function withError(effect: CallEffect): CallEffect {
  const code = effect.code ?? (effect.status === undefined ? undefined : codesOf(effect.status)[0]);
  if (code === undefined) return effect;
  return { ...effect, code, status: effect.status ?? ERROR_STATUS[code] };
}

/** @throws not_found */
export function requireFault(tx: Tx, id: string): Fault {
  const fault = tx.db.select().from(faults).where(eq(faults.id, id)).get();
  if (fault) return fault;
  throw notFound(`fault_id: there is no fault ${id} in the world ${tx.world.name}`);
}

/** In the order in which they are asked. @throws validation_error for a foreign cursor */
export function listFaults(tx: Tx, page: PageRequest) {
  const after = readCursor(tx, 'faults', page);
  const rows = tx.db
    .select()
    .from(faults)
    .where(after === undefined ? undefined : gt(faults.seq, Number(after)))
    .orderBy(asc(faults.seq))
    .limit(page.limit + 1)
    .all();
  return cutPage(tx, 'faults', rows, page, ({ seq }) => String(seq));
}

/** Takes a rule away. What it holds back already goes out as it would have. @throws not_found */
export function removeFault(tx: Tx, id: string): Fault {
  const fault = requireFault(tx, id);
  tx.db.delete(faults).where(eq(faults.id, id)).run();
  rulesChanged(tx);
  return fault;
}

/** Takes every rule away. Returns how many there were. */
export function clearFaults(tx: Tx): number {
  const { changes } = tx.db.delete(faults).run();
  if (changes > 0) rulesChanged(tx);
  return changes;
}

export function faultView({ id, match, effect, webhook, times, hits, createdAt }: Fault) {
  return {
    fault_id: id,
    match: {
      method: match.method ?? null,
      path: match.path ?? null,
      domain: match.domain ?? null,
      key_id: match.key_id ?? null,
      event: match.event ?? null,
      first: match.first ?? null,
      every: match.every ?? null,
      probability: match.probability ?? null,
    },
    effect: effect && {
      status: effect.status ?? null,
      code: effect.code ?? null,
      delay_ms: effect.delay_ms ?? null,
      drop: effect.drop ?? null,
      truncate: effect.truncate ?? null,
    },
    webhook: webhook && {
      delay_ms: webhook.delay_ms ?? null,
      duplicate: webhook.duplicate ?? false,
      reorder: webhook.reorder ?? false,
      drop: webhook.drop ?? false,
      corrupt_signature: webhook.corrupt_signature ?? false,
    },
    times,
    hits,
    created_at: isoTime(createdAt),
  };
}

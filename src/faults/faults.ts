import { eq, type InferSelectModel } from 'drizzle-orm';
import { listCounted, type PageRequest } from '../store/paging.ts';
import { faults } from '../store/schema/faults.ts';
import { finder, required } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import { resolveEffect } from './fault-effects.ts';
import type { FaultInput } from './validate-fault.ts';

export type FaultRow = InferSelectModel<typeof faults>;

/** A valid input. A fault of the configuration file is `configured` and may have an id. */
interface NewFault extends FaultInput {
  fault_id?: string | undefined;
  configured?: boolean;
}

/** Adds a fault after the existing ones. `validateFault` has found no issue in the input. */
export function addFault(tx: Tx, input: NewFault): FaultRow {
  const { fault_id: id, match, effect, webhook, times, configured } = input;
  return tx.db
    .insert(faults)
    .values({
      id: id ?? tx.nextId('flt'),
      match,
      effect: effect ? resolveEffect(effect) : null,
      webhook: webhook ?? null,
      times: times ?? null,
      matched: 0,
      hits: 0,
      configured: configured ?? false,
      createdAt: tx.now,
    })
    .returning()
    .get();
}

export const requireFault = required(
  finder(faults, 'id'),
  (id, tx) => `fault_id: fault ${id} not found in world ${tx.world.name}`,
);

/** Lists faults in matching order. @throws validation_error for a cursor of another list */
export function listFaults(tx: Tx, page: PageRequest) {
  return listCounted(tx, { list: 'faults', table: faults, by: 'seq', ascending: true }, page);
}

/** Deletes a fault. A delivery that it has delayed is still sent at its time. @throws not_found */
export function deleteFault(tx: Tx, id: string): FaultRow {
  const fault = requireFault(tx, id);
  tx.db.delete(faults).where(eq(faults.id, id)).run();
  return fault;
}

/** Deletes all faults. @returns their number */
export function clearFaults(tx: Tx): number {
  return tx.db.delete(faults).run().changes;
}

import { isDeepStrictEqual } from 'node:util';
import { asc, eq } from 'drizzle-orm';
import { conflict } from '../kernel/errors.ts';
import { faults } from '../store/schema/faults.ts';
import type { Tx } from '../store/transaction.ts';
import { faultsChanged } from './active-faults.ts';
import { resolveEffect } from './fault-effects.ts';
import { addFault, type FaultRow } from './faults.ts';
import type { FaultInput } from './validate-fault.ts';

type ConfiguredFault = FaultInput & { fault_id: string };

/**
 * Replaces the configured faults by those of the configuration file. An unchanged fault keeps its counters.
 * @throws conflict if a fault with the same id was added through the control API
 */
export function applyConfiguredFaults(tx: Tx, inputs: readonly ConfiguredFault[]): void {
  const existing = tx.db
    .select()
    .from(faults)
    .where(eq(faults.configured, true))
    .orderBy(asc(faults.seq))
    .all();
  const same = inputs.every((input, n) => isUnchanged(existing[n], input));
  if (same && inputs.length === existing.length) return;
  tx.db.delete(faults).where(eq(faults.configured, true)).run();
  for (const input of inputs) {
    if (tx.db.select().from(faults).where(eq(faults.id, input.fault_id)).get()) {
      throw conflict(`faults: fault_id ${input.fault_id} already exists; choose another`);
    }
    const { matched, hits } = existing.find((each) => isUnchanged(each, input)) ?? {};
    addFault(tx, { ...input, configured: true, matched: matched ?? 0, hits: hits ?? 0 });
  }
  faultsChanged(tx);
}

function isUnchanged(fault: FaultRow | undefined, input: ConfiguredFault): boolean {
  if (fault?.id !== input.fault_id) return false;
  const { match, effect, webhook, times } = fault;
  return isDeepStrictEqual({ match, effect, webhook, times }, asStored(input));
}

function asStored({ match, effect, webhook, times }: FaultInput): unknown {
  return JSON.parse(
    JSON.stringify({
      match,
      effect: effect ? resolveEffect(effect) : null,
      webhook: webhook ?? null,
      times: times ?? null,
    }),
  );
}

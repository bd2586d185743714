import { isDeepStrictEqual } from 'node:util';
import { asc, eq } from 'drizzle-orm';
import { conflict } from '../kernel/errors.ts';
import { faults } from '../store/schema/faults.ts';
import type { Tx } from '../store/transaction.ts';
import type { FaultWish } from './find-problem.ts';
import { addFault, type Fault, withError } from './keep-faults.ts';
import { rulesChanged } from './standing-rules.ts';

export type ConfiguredFault = FaultWish & { fault_id: string };

/**
 * Makes the rules of the configuration file what the file says. One that has not changed goes on counting
 * where it stood.
 * @throws conflict when an id is already that of a rule made by hand
 */
export function standConfiguredFaults(tx: Tx, wishes: readonly ConfiguredFault[]): void {
  const standing = tx.db
    .select()
    .from(faults)
    .where(eq(faults.configured, true))
    .orderBy(asc(faults.seq))
    .all();
  const same = wishes.every((wish, n) => says(standing[n], wish));
  if (same && wishes.length === standing.length) return;
  tx.db.delete(faults).where(eq(faults.configured, true)).run();
  for (const wish of wishes) {
    if (tx.db.select().from(faults).where(eq(faults.id, wish.fault_id)).get()) {
      throw conflict(`faults: the id ${wish.fault_id} is taken; give this one another fault_id`);
    }
    const { matched, hits } = standing.find((each) => says(each, wish)) ?? {};
    addFault(tx, { ...wish, configured: true, matched: matched ?? 0, hits: hits ?? 0 });
  }
  rulesChanged(tx);
}

function says(fault: Fault | undefined, wish: ConfiguredFault): boolean {
  if (fault?.id !== wish.fault_id) return false;
  const { match, effect, webhook, times } = fault;
  return isDeepStrictEqual({ match, effect, webhook, times }, asStored(wish));
}

/** As it comes back from its row. */
function asStored({ match, effect, webhook, times }: FaultWish): unknown {
  return JSON.parse(
    JSON.stringify({
      match,
      effect: effect ? withError(effect) : null,
      webhook: webhook ?? null,
      times: times ?? null,
    }),
  );
}

import type { HeldFault } from '../store/schema/events.ts';
import type { Tx } from '../store/transaction.ts';
import { peekRules, standingRules } from './standing-rules.ts';
import { strikes } from './strike.ts';

/** What a rule can know an attempt to deliver by. */
export interface AttemptFacts {
  event: string;
  /** Domain of the order or case that it tells of. */
  domain: string | undefined;
  deliveryId: string;
  /** Attempts made before this one. */
  attemptsMade: number;
  /** Whether another delivery waits already to be overtaken. */
  behindHeld: boolean;
}

/** Whether any rule is about deliveries; reads only. */
export function deliveriesMayFail(tx: Tx): boolean {
  return peekRules(tx).deliveries.length > 0;
}

/** The first rule that acts on an attempt; each that it was asked of has counted it. */
export function meetDelivery(tx: Tx, attempt: AttemptFacts): HeldFault | undefined {
  const { event, domain, deliveryId, attemptsMade, behindHeld } = attempt;
  for (const rule of standingRules(tx).deliveries) {
    const { match, effect, faultId } = rule;
    if (match.event !== undefined && match.event !== event) continue;
    if (match.domain !== undefined && match.domain !== domain) continue;
    // Two change places: whoever overtakes is not held back itself.
    if (effect.reorder && behindHeld) continue;
    // By the attempt, not by a count: lanes run side by side, and which comes first is nobody's seed.
    if (strikes(tx, rule, `${deliveryId} ${attemptsMade}`)) {
      return { fault_id: faultId, webhook: effect };
    }
  }
  return undefined;
}

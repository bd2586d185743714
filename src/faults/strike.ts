import { eq, sql } from 'drizzle-orm';
import { Random } from '../kernel/random.ts';
import { param, prepared } from '../store/prepared.ts';
import { faults } from '../store/schema/faults.ts';
import type { Tx } from '../store/transaction.ts';
import type { Rule } from './standing-rules.ts';

const counted = prepared((db) =>
  db
    .select({ matched: faults.matched, hits: faults.hits, times: faults.times })
    .from(faults)
    .where(eq(faults.seq, param('seq')))
    .prepare(),
);
const count = prepared((db) =>
  db
    .update(faults)
    .set({ matched: sql`${param('matched')}`, hits: sql`${param('hits')}` })
    .where(eq(faults.seq, param('seq')))
    .prepare(),
);

/**
 * Counts something that a rule is about, and says whether the rule acts on it. A rule that is spent counts
 * no more.
 * @param lot sets one draw of its probability apart from the next; left out, the rule's own count does
 */
export function strikes(tx: Tx, { seq, faultId, match }: Rule<unknown>, lot?: string): boolean {
  const before = counted(tx).get({ seq });
  if (!before || (before.times !== null && before.hits >= before.times)) return false;
  const { first, every = 1, probability = 1 } = match;
  const matched = before.matched + 1;
  if (first !== undefined && matched > first) return false;
  const hit =
    matched % every === 0 && draw(tx, `${faultId}\n${lot ?? matched}`, probability) < probability;
  count(tx).run({ seq, matched, hits: before.hits + (hit ? 1 : 0) });
  return hit;
}

/** The same seed and the same lot draw the same number, in every run and in every fork. */
function draw(tx: Tx, lot: string, probability: number): number {
  return probability === 1 ? 0 : new Random(`${tx.world.seed}\nfault\n${lot}`).next();
}

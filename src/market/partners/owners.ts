import { eq } from 'drizzle-orm';
import { ENVIRONMENTS, type Environment } from '../../store/schema/enums.ts';
import { type Owner, partners } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

/** Lists every partner in every environment, by partner id, or only those of a partner or environment. */
export function ownersOf(
  tx: Tx,
  {
    partnerId,
    environment,
  }: { partnerId?: string | undefined; environment?: Environment | undefined },
): Owner[] {
  const known = tx.db
    .select({ partnerId: partners.partnerId })
    .from(partners)
    .where(partnerId === undefined ? undefined : eq(partners.partnerId, partnerId))
    .orderBy(partners.partnerId)
    .all();
  const environments = environment === undefined ? ENVIRONMENTS.toSorted() : [environment];
  return known.flatMap((each) => environments.map((there) => ({ ...each, environment: there })));
}

import { eq } from 'drizzle-orm';
import { ENVIRONMENTS, type Environment } from '../../store/schema/enums.ts';
import { type Owner, partners } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

/** Every partner in every environment, or only this one or there, whether or not anything was sold; by name. */
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

import type { Owner } from '../store/schema/partners.ts';

/** Whose something is: what the control door shows of everything that a partner has. */
export function ownerView({ partnerId, environment }: Owner) {
  return { partner_id: partnerId, environment };
}

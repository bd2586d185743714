import type { InferSelectModel } from 'drizzle-orm';
import { webhooks } from '../store/schema/events.ts';
import type { Owner } from '../store/schema/partners.ts';
import { matchingOwner, ownedBy, select } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import { failPending } from './deliveries.ts';
import { requireWebhookUrl } from './url-policy.ts';

export type RegistrationRow = InferSelectModel<typeof webhooks>;

const findByOwner = select(webhooks, { where: [matchingOwner(webhooks)] });
const selectAll = select(webhooks, { orderBy: [webhooks.partnerId, webhooks.environment] });
const selectSecrets = select(webhooks, { columns: { secret: webhooks.secret } });

export function findRegistration(tx: Tx, owner: Owner) {
  return findByOwner(tx).get(owner);
}

/** Lists the secrets of all registrations, for redaction. */
export function registeredSecrets(tx: Tx): string[] {
  const rows = selectSecrets(tx).all();
  return rows.map(({ secret }) => secret);
}

export function listRegistrations(tx: Tx): RegistrationRow[] {
  return selectAll(tx).all();
}

/**
 * Registers or replaces the one delivery endpoint of a partner and environment (specification, PUT
 * /api/partner/webhooks); `created_at` stays that of the first registration.
 * @throws validation_error
 */
export function registerWebhook(
  tx: Tx,
  { partnerId, environment }: Owner,
  { url, secret }: { url: string; secret: string },
): RegistrationRow {
  requireWebhookUrl(url);
  const replaced = { url, secret, active: true, updatedAt: tx.now };
  return tx.db
    .insert(webhooks)
    .values({ partnerId, environment, createdAt: tx.now, ...replaced })
    .onConflictDoUpdate({ target: [webhooks.partnerId, webhooks.environment], set: replaced })
    .returning()
    .get();
}

/** Deletes a registration. Its pending deliveries fail. */
export function unregisterWebhook(tx: Tx, owner: Owner): void {
  tx.db.delete(webhooks).where(ownedBy(webhooks, owner)).run();
  failPending(tx, owner);
}

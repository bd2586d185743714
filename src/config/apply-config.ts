import { eq } from 'drizzle-orm';
import { applyConfiguredFaults } from '../faults/configured-faults.ts';
import {
  createCredential,
  deleteIdempotencyKeys,
  findCredential,
  joinPartner,
} from '../market/partners/credentials.ts';
import { credentials } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import { findRegistration, registerWebhook } from '../webhooks/registrations.ts';
import type { Config } from './schema.ts';

/**
 * Applies the configured credentials, webhook registrations and faults, at every start: the file replaces their
 * stored values.
 * @throws validation_error for a forbidden webhook url, conflict for an existing fault id
 */
export function applyConfig(tx: Tx, config: Config): void {
  for (const input of config.credentials ?? []) ensureCredential(tx, input);
  for (const { partner, environment, url, secret } of config.webhooks ?? []) {
    const owner = { partnerId: joinPartner(tx, partner).partnerId, environment };
    const known = findRegistration(tx, owner);
    if (known?.url !== url || known.secret !== secret) registerWebhook(tx, owner, { url, secret });
  }
  applyConfiguredFaults(tx, withIds(config.faults ?? []));
}

/** Gives each fault without an id one by its position. */
function withIds(faults: NonNullable<Config['faults']>) {
  return faults.map((fault, n) => ({
    ...fault,
    fault_id: fault.fault_id ?? `flt_config_${n + 1}`,
  }));
}

function ensureCredential(tx: Tx, input: NonNullable<Config['credentials']>[number]): void {
  const { key_id: keyId, partner, approved, ...granted } = input;
  const { environment } = granted;
  const known = findCredential(tx, keyId);
  if (!known) {
    createCredential(tx, { ...granted, partner, approved, keyId });
    return;
  }
  const { partnerId } = joinPartner(tx, partner);
  // A SANDBOX credential that becomes LIVE needs an approval.
  const approvedNow =
    approved ?? (known.environment === environment ? undefined : environment === 'SANDBOX');
  if (known.partnerId !== partnerId || known.environment !== environment)
    deleteIdempotencyKeys(tx, keyId);
  tx.db
    .update(credentials)
    .set({
      ...granted,
      partnerId,
      ...(approvedNow !== undefined && { approved: approvedNow }),
    })
    .where(eq(credentials.keyId, keyId))
    .run();
}

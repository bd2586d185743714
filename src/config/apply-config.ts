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
 * Puts the configured credentials, webhook registrations and faults in place. Runs at every start: what the file
 * says of them holds, also when it has changed since.
 * @throws validation_error for a webhook url that is not allowed, conflict for a fault id that is taken
 */
export function applyConfig(tx: Tx, config: Config): void {
  for (const input of config.credentials ?? []) ensureCredential(tx, input);
  for (const { partner, environment, url, secret } of config.webhooks ?? []) {
    const owner = { partnerId: joinPartner(tx, partner).partnerId, environment };
    const known = findRegistration(tx, owner);
    if (known?.url !== url || known.secret !== secret) registerWebhook(tx, owner, { url, secret });
  }
  applyConfiguredFaults(tx, pinned(config.faults ?? []));
}

/** A fault without an id is known by its position. */
function pinned(faults: NonNullable<Config['faults']>) {
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
  // Access to SANDBOX does not turn into production access.
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

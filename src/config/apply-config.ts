import { eq } from 'drizzle-orm';
import { addFault } from '../faults/faults.ts';
import { conflict } from '../kernel/errors.ts';
import {
  createCredential,
  deleteIdempotencyKeys,
  findCredential,
  findOrCreatePartner,
} from '../market/partners/credentials.ts';
import { faults } from '../store/schema/faults.ts';
import { credentials } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import { findRegistration, registerWebhook } from '../webhooks/registrations.ts';
import { type Config, configuredFaultId } from './schema.ts';

/**
 * Applies the configured credentials, webhook registrations and faults to the default world, at every start and reset:
 * the file replaces their stored values.
 * @throws validation_error for a forbidden webhook url, conflict for an existing fault id
 */
export function applyConfig(tx: Tx, config: Config): void {
  for (const input of config.credentials ?? []) ensureCredential(tx, input);
  for (const { partner, environment, url, secret } of config.webhooks ?? []) {
    const owner = { partnerId: findOrCreatePartner(tx, partner).partnerId, environment };
    const row = findRegistration(tx, owner);
    if (row?.url !== url || row.secret !== secret) registerWebhook(tx, owner, { url, secret });
  }
  replaceFaults(tx, config.faults ?? []);
}

function ensureCredential(tx: Tx, input: NonNullable<Config['credentials']>[number]): void {
  const { key_id: keyId, partner, ...fields } = input;
  const existing = findCredential(tx, keyId);
  if (!existing) {
    createCredential(tx, input);
    return;
  }
  const { partnerId } = findOrCreatePartner(tx, partner);
  const isSameEnvironment = existing.environment === fields.environment;
  if (existing.partnerId !== partnerId || !isSameEnvironment) deleteIdempotencyKeys(tx, keyId);
  // A SANDBOX credential that becomes LIVE needs an approval.
  const defaultApproval = isSameEnvironment ? existing.approved : fields.environment === 'SANDBOX';
  const values = { ...fields, partnerId, approved: fields.approved ?? defaultApproval };
  tx.db.update(credentials).set(values).where(eq(credentials.keyId, keyId)).run();
}

/** Replaces the configured faults; hits start at 0. @throws conflict if a fault of the control API has the same id */
function replaceFaults(tx: Tx, inputs: NonNullable<Config['faults']>): void {
  tx.db.delete(faults).where(eq(faults.configured, true)).run();
  for (const [n, input] of inputs.entries()) {
    const { fault_id = configuredFaultId(n) } = input;
    if (tx.db.select().from(faults).where(eq(faults.id, fault_id)).get()) {
      throw conflict(`faults: fault_id ${fault_id} already exists; choose another`);
    }
    addFault(tx, { ...input, fault_id, configured: true });
  }
}

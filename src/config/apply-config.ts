import { isDeepStrictEqual } from 'node:util';
import { asc, eq } from 'drizzle-orm';
import { resolveEffect } from '../faults/fault-effects.ts';
import { addFault, type FaultRow } from '../faults/faults.ts';
import { faultsChanged } from '../faults/match-fault.ts';
import type { FaultInput } from '../faults/validate-fault.ts';
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
import type { Config } from './schema.ts';

/**
 * Applies the configured credentials, webhook registrations and faults, at every start: the file replaces their
 * stored values.
 * @throws validation_error for a forbidden webhook url, conflict for an existing fault id
 */
export function applyConfig(tx: Tx, config: Config): void {
  for (const input of config.credentials ?? []) ensureCredential(tx, input);
  for (const { partner, environment, url, secret } of config.webhooks ?? []) {
    const owner = { partnerId: findOrCreatePartner(tx, partner).partnerId, environment };
    const row = findRegistration(tx, owner);
    if (row?.url !== url || row.secret !== secret) registerWebhook(tx, owner, { url, secret });
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
  const existing = findCredential(tx, keyId);
  if (!existing) {
    createCredential(tx, input);
    return;
  }
  const { partnerId } = findOrCreatePartner(tx, partner);
  // A SANDBOX credential that becomes LIVE needs an approval.
  const approvedNow =
    approved ?? (existing.environment === environment ? undefined : environment === 'SANDBOX');
  if (existing.partnerId !== partnerId || existing.environment !== environment)
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

type ConfiguredFault = FaultInput & { fault_id: string };

/**
 * Replaces the configured faults by those of the configuration file. An unchanged fault keeps its counters.
 * @throws conflict if a fault with the same id was added through the control API
 */
function applyConfiguredFaults(tx: Tx, inputs: readonly ConfiguredFault[]): void {
  const existing = tx.db
    .select()
    .from(faults)
    .where(eq(faults.configured, true))
    .orderBy(asc(faults.seq))
    .all();
  const same = inputs.every((input, n) => isUnchanged(existing[n], input));
  if (same && inputs.length === existing.length) return;
  tx.db.delete(faults).where(eq(faults.configured, true)).run();
  for (const input of inputs) {
    if (tx.db.select().from(faults).where(eq(faults.id, input.fault_id)).get()) {
      throw conflict(`faults: fault_id ${input.fault_id} already exists; choose another`);
    }
    const { matched, hits } = existing.find((fault) => isUnchanged(fault, input)) ?? {};
    addFault(tx, { ...input, configured: true, matched: matched ?? 0, hits: hits ?? 0 });
  }
  faultsChanged(tx);
}

function isUnchanged(fault: FaultRow | undefined, input: ConfiguredFault): boolean {
  if (fault?.id !== input.fault_id) return false;
  const { match, effect, webhook, times } = fault;
  return isDeepStrictEqual({ match, effect, webhook, times }, asStored(input));
}

function asStored({ match, effect, webhook, times }: FaultInput): unknown {
  return JSON.parse(
    JSON.stringify({
      match,
      effect: effect ? resolveEffect(effect) : null,
      webhook: webhook ?? null,
      times: times ?? null,
    }),
  );
}

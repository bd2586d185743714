import { asc, eq, gt, type InferSelectModel } from 'drizzle-orm';
import { conflict, notFound } from '../../kernel/errors.ts';
import { type PageRequest, paginate, readCursor } from '../../store/paging.ts';
import type { Environment, Scope } from '../../store/schema/enums.ts';
import {
  type Credential,
  credentials,
  idempotencyKeys,
  partners,
  rateWindows,
} from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { CredentialRow } from './credential.ts';

export type Partner = InferSelectModel<typeof partners>;

export interface NewCredential {
  /** The partner's name; the same name joins the same partner. */
  partner: string;
  /** Only for the partner that exists from the start. */
  partnerId?: string | undefined;
  environment: Environment;
  scopes: Scope[];
  affiliate: boolean;
  approved?: boolean | undefined;
  keyId?: string | undefined;
  secret?: string | undefined;
}

/**
 * Mints a key id and secret (specification, "Credential"). A LIVE credential waits for approval.
 * @throws conflict when the key id exists
 */
export function createCredential(tx: Tx, input: NewCredential): Credential {
  const partner = joinPartner(tx, input.partner, input.partnerId);
  const kind = input.environment.toLowerCase();
  const credential: Credential = {
    keyId: input.keyId ?? `dmk_${kind}_${tx.nextSecret('key id')}`,
    secret: input.secret ?? `dms_${kind}_${tx.nextSecret('secret')}`,
    partnerId: partner.partnerId,
    environment: input.environment,
    scopes: input.scopes,
    affiliate: input.affiliate,
    approved: input.approved ?? input.environment === 'SANDBOX',
    createdAt: tx.now,
  };
  if (findCredential(tx, credential.keyId)) {
    throw conflict(`key_id: ${credential.keyId} exists already`);
  }
  tx.db.insert(credentials).values(credential).run();
  return credential;
}

export function findCredential(tx: Tx, keyId: string): Credential | undefined {
  return tx.db.select().from(credentials).where(eq(credentials.keyId, keyId)).get();
}

/** @throws not_found */
export function requireCredential(tx: Tx, keyId: string): Credential {
  const credential = findCredential(tx, keyId);
  if (credential) return credential;
  throw notFound(`key_id: there is no credential ${keyId} in this world`);
}

/** By key id. @throws validation_error for a foreign cursor */
export function listCredentials(tx: Tx, page: PageRequest) {
  const after = readCursor(tx, 'credentials', page);
  const rows = tx.db
    .select()
    .from(credentials)
    .where(after === undefined ? undefined : gt(credentials.keyId, after))
    .orderBy(asc(credentials.keyId))
    .limit(page.limit + 1)
    .all();
  return paginate(tx, 'credentials', rows, page, (row) => row.keyId);
}

/**
 * Production access (specification, "What the service does").
 * @throws not_found; conflict for a SANDBOX credential, which needs none
 */
export function approveCredential(tx: Tx, keyId: string): Credential {
  const credential = requireCredential(tx, keyId);
  if (credential.environment === 'SANDBOX') {
    throw conflict(
      `key_id: ${keyId} is a SANDBOX credential and works without approval; approval is for LIVE, so mint one with environment LIVE`,
    );
  }
  tx.db.update(credentials).set({ approved: true }).where(eq(credentials.keyId, keyId)).run();
  return { ...credential, approved: true };
}

/** From now on requests signed with it are refused. @throws not_found */
export function revokeCredential(tx: Tx, keyId: string): Credential {
  const credential = requireCredential(tx, keyId);
  tx.db.delete(credentials).where(eq(credentials.keyId, keyId)).run();
  deleteIdempotencyKeys(tx, keyId);
  tx.db.delete(rateWindows).where(eq(rateWindows.keyId, keyId)).run();
  return credential;
}

/** What was recorded under a key id must not replay to whoever holds that key id next. */
export function deleteIdempotencyKeys(tx: Tx, keyId: string): void {
  tx.db.delete(idempotencyKeys).where(eq(idempotencyKeys.keyId, keyId)).run();
}

/** Adds the names of its partner and world. */
export function withNames(tx: Tx, credential: Credential): CredentialRow {
  const partner = tx.db
    .select({ name: partners.name })
    .from(partners)
    .where(eq(partners.partnerId, credential.partnerId))
    .get();
  return { ...credential, partner: partner?.name ?? '', world: tx.world.name };
}

/** The partner of a name, made if it is new. */
export function joinPartner(tx: Tx, name: string, partnerId?: string): Partner {
  const known = tx.db.select().from(partners).where(eq(partners.name, name)).get();
  if (known) return known;
  const partner: Partner = { partnerId: partnerId ?? tx.nextId('ptr'), name, createdAt: tx.now };
  tx.db.insert(partners).values(partner).run();
  return partner;
}

/** @throws not_found */
export function requirePartner(tx: Tx, partnerId: string): Partner {
  const partner = tx.db.select().from(partners).where(eq(partners.partnerId, partnerId)).get();
  if (partner) return partner;
  throw notFound(`partner_id: there is no partner ${partnerId}`);
}

import { eq, type InferSelectModel } from 'drizzle-orm';
import { conflict } from '../../kernel/errors.ts';
import { filterBy, listCounted, type PageRequest } from '../../store/paging.ts';
import { ENVIRONMENTS, type Environment, SCOPES, type Scope } from '../../store/schema/enums.ts';
import {
  type Credential,
  credentials,
  idempotencyKeys,
  type Owner,
  partners,
} from '../../store/schema/partners.ts';
import { finder, inserter, required } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { DEFAULT_CREDENTIAL } from '../defaults.ts';
import type { CredentialRow } from './credential.ts';

type Partner = InferSelectModel<typeof partners>;

export const findPartner = finder(partners, 'partnerId');
const findPartnerByName = finder(partners, 'name');
const insertPartner = inserter(partners);
const insertCredential = inserter(credentials);

interface NewCredential {
  /** Name or id of the partner; one of this name is created if there is none. */
  partner: string;
  /** Id of a new partner; by default the next one. */
  partnerId?: string | undefined;
  environment: Environment;
  scopes: Scope[];
  affiliate: boolean;
  approved?: boolean | undefined;
  /** False leaves its requests out of the go-live report. */
  golive?: boolean | undefined;
  key_id?: string | undefined;
  secret?: string | undefined;
}

/**
 * Mints a key id and secret (specification, "Credential"). A LIVE credential waits for approval. After each change of a
 * credential, callers update `Worlds.keys`, which requests are checked with.
 * @param exists whether a key id exists, by default in this world
 * @throws conflict for an existing key id
 */
export function createCredential(
  tx: Tx,
  input: NewCredential,
  exists = (keyId: string) => findCredential(tx, keyId) !== undefined,
): Credential {
  const partner = findOrCreatePartner(tx, input.partner, input.partnerId);
  const kind = input.environment.toLowerCase();
  const mint = () => ({
    keyId: input.key_id ?? `dmk_${kind}_${tx.nextSecret('key id')}`,
    secret: input.secret ?? `dms_${kind}_${tx.nextSecret('secret')}`,
  });
  let minted = mint();
  // A world imported under another name keeps its keys, which a new world of its former name would make again.
  while (input.key_id === undefined && exists(minted.keyId)) minted = mint();
  if (exists(minted.keyId)) {
    throw conflict(`key_id: ${minted.keyId} already exists; a key id belongs to one world`);
  }
  const credential: Credential = {
    ...minted,
    partnerId: partner.partnerId,
    environment: input.environment,
    scopes: input.scopes,
    affiliate: input.affiliate,
    approved: input.approved ?? input.environment === 'SANDBOX',
    golive: input.golive ?? true,
    createdAt: tx.now,
  };
  insertCredential(tx, credential);
  return credential;
}

export const findCredential = finder(credentials, 'keyId');

/** Looks in this world only. The error speaks of every world, because callers look up the world by key ID. */
export const requireCredential = required(
  findCredential,
  (keyId) => `key_id: credential ${keyId} not found in any world`,
);

/** Lists credentials by key id. @throws validation_error for a cursor of another list */
export function listCredentials(tx: Tx, page: PageRequest) {
  const source = { list: 'credentials', table: credentials, by: 'keyId', ascending: true } as const;
  return listCounted(tx, source, page);
}

/**
 * Grants production access (specification, "What the service does").
 * @throws not_found, conflict for a SANDBOX credential, which needs no approval
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

/** Deletes a credential and its stored responses. @throws not_found */
export function revokeCredential(tx: Tx, keyId: string): Credential {
  const credential = requireCredential(tx, keyId);
  tx.db.delete(credentials).where(eq(credentials.keyId, keyId)).run();
  deleteIdempotencyKeys(tx, keyId);
  return credential;
}

/** Deletes the stored responses of a key id, so that a new credential of that key id does not replay them. */
export function deleteIdempotencyKeys(tx: Tx, keyId: string): void {
  tx.db.delete(idempotencyKeys).where(eq(idempotencyKeys.keyId, keyId)).run();
}

/** Adds the names of its partner and world to a credential. */
export function withNames(tx: Tx, credential: Credential): CredentialRow {
  return { ...withPartner(tx, credential), world: tx.world.name };
}

/** Returns the partner with this id or name, or creates one of this name. @param partnerId of a new partner */
export function findOrCreatePartner(tx: Tx, name: string, partnerId?: string): Partner {
  const existingPartner = findPartnerByIdOrName(tx, name);
  if (existingPartner) return existingPartner;
  const partner: Partner = { partnerId: partnerId ?? tx.nextId('ptr'), name, createdAt: tx.now };
  insertPartner(tx, partner);
  return partner;
}

export function findPartnerByIdOrName(tx: Tx, idOrName: string): Partner | undefined {
  return findPartner(tx, idOrName) ?? findPartnerByName(tx, idOrName);
}

export const requirePartner = required(
  findPartnerByIdOrName,
  (idOrName) => `partner_id: partner ${idOrName} not found`,
);

/** Returns the id of a partner by its id or name. Returns an unknown one unchanged; it matches no row. */
export function partnerIdOf(tx: Tx, idOrName: string): string {
  return findPartnerByIdOrName(tx, idOrName)?.partnerId ?? idOrName;
}

/** Adds the name of its partner to a row, or the ID of an unknown partner. */
export function withPartner<Row extends { partnerId: string }>(
  tx: Tx,
  row: Row,
): Row & { partner: string } {
  return { ...row, partner: findPartner(tx, row.partnerId)?.name ?? row.partnerId };
}

export function ensureDefaultCredential(tx: Tx): void {
  if (findCredential(tx, DEFAULT_CREDENTIAL.keyId)) return;
  createCredential(tx, {
    ...DEFAULT_CREDENTIAL,
    key_id: DEFAULT_CREDENTIAL.keyId,
    environment: 'SANDBOX',
    scopes: [...SCOPES],
    affiliate: true,
  });
}

/** Revokes the default credential. A credential with that key id and another secret stays. */
export function removeDefaultCredential(tx: Tx): void {
  const { keyId, secret } = DEFAULT_CREDENTIAL;
  if (findCredential(tx, keyId)?.secret === secret) revokeCredential(tx, keyId);
}

/** Lists every partner, or one of them, in every environment, by partner id. */
export function ownersOf(tx: Tx, partnerId: string | undefined): Owner[] {
  const rows = tx.db
    .select({ partnerId: partners.partnerId })
    .from(partners)
    .where(filterBy(partners.partnerId, partnerId))
    .orderBy(partners.partnerId)
    .all();
  // Also sorted by environment: a settlement run gives IDs in this order.
  const environments = ENVIRONMENTS.toSorted();
  return rows.flatMap((partner) =>
    environments.map((environment) => ({ ...partner, environment })),
  );
}

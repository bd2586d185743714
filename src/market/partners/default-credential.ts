import { SCOPES } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { createCredential, findCredential } from './credentials.ts';

/**
 * The credential that a fresh sandbox has (decisions, "Authentication"), so that examples and CI need not
 * read any output.
 */
export const DEFAULT_CREDENTIAL = {
  keyId: 'dmk_sandbox_local',
  secret: 'dms_sandbox_local_not_a_secret',
  partnerId: 'ptr_local',
  partner: 'local',
} as const;

/** Puts the default credential in place where it is missing. */
export function ensureDefaultCredential(tx: Tx): void {
  if (findCredential(tx, DEFAULT_CREDENTIAL.keyId)) return;
  createCredential(tx, {
    ...DEFAULT_CREDENTIAL,
    environment: 'SANDBOX',
    scopes: [...SCOPES],
    affiliate: true,
  });
}

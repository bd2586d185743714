import { SCOPES } from '../../store/schema/words.ts';
import type { Tx } from '../../store/transaction.ts';
import { createCredential, findCredential } from './credentials.ts';
import { DEFAULT_CREDENTIAL } from './default-key.ts';

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

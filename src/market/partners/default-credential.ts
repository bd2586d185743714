import { SCOPES } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { createCredential, findCredential, revokeCredential } from './credentials.ts';
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

/** Revokes the default credential where it is; one of the same key id with a secret of its own stays. */
export function removeDefaultCredential(tx: Tx): void {
  const { keyId, secret } = DEFAULT_CREDENTIAL;
  if (findCredential(tx, keyId)?.secret === secret) revokeCredential(tx, keyId);
}

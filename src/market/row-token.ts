import { signToken, verifyToken } from '../kernel/token.ts';
import type { Tx } from '../store/transaction.ts';

/** The columns that identify a row in a token. An id is not enough: with `same_ids`, a reset issues the same ids again. */
interface Row {
  id: string;
  domain: string;
  /** Unix ms of sandbox time. */
  createdAt: number;
}

/** Signs a token for a row. @param use a token is valid for this use only */
export function signRow(tx: Tx, use: string, row: Row): string {
  return signToken(tx.world.tokenKey, use, identityOf(row));
}

/** Returns the end of the payload in all tokens of a domain, by which logged texts are searched for them. */
export function endOfTokens(domain: string): string {
  // The bytes before the domain fill whole groups of three: an ID of 19 characters, a space and a time of 13.
  return `${Buffer.from(` ${domain}`).toString('base64url')}.`;
}

/** Reads the domain of an unverified token, for display. */
export function domainOfToken(token: string): string | undefined {
  return Buffer.from(token.split('.', 1)[0] ?? '', 'base64url')
    .toString()
    .split(' ')[2];
}

/** Returns the row of a valid token if it is still the same row. The signature is compared in constant time. */
export function verifyRow<Found extends Row>(
  tx: Tx,
  use: string,
  token: string,
  find: (tx: Tx, id: string) => Found | undefined,
): Found | undefined {
  const identity = verifyToken(tx.world.tokenKey, use, token);
  const [id] = identity?.split(' ') ?? [];
  const row = id === undefined ? undefined : find(tx, id);
  return row && identityOf(row) === identity ? row : undefined;
}

/**
 * Signs a token for a URL that works without a credential, so it names the world. A fork has the token key and the
 * rows of its source, but not its URLs.
 */
export function signAddress(tx: Tx, use: string, row: Row): string {
  return `${tx.world.name}.${signRow(tx, `${use} in ${tx.world.name}`, row)}`;
}

/** Returns the world that a token names. The token is not verified: `verifyAddress` does that in this world. */
export function worldOfAddress(address: string): string {
  return address.slice(0, Math.max(0, address.indexOf('.')));
}

export function verifyAddress<Found extends Row>(
  tx: Tx,
  use: string,
  address: string,
  find: (tx: Tx, id: string) => Found | undefined,
): Found | undefined {
  const token = address.slice(worldOfAddress(address).length + 1);
  return verifyRow(tx, `${use} in ${tx.world.name}`, token, find);
}

function identityOf({ id, createdAt, domain }: Row): string {
  return `${id} ${createdAt} ${domain}`;
}

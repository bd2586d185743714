import { signToken, verifyToken } from '../kernel/token.ts';
import type { Tx } from '../store/transaction.ts';

/** What a token vouches for: this very row. With `same_ids`, ids alone are issued again after a reset. */
interface Row {
  id: string;
  domain: string;
  /** Unix ms of sandbox time. */
  createdAt: number;
}

/** A signed token for a row. @param use keeps a token made for one use from passing in another */
export function signRow(tx: Tx, use: string, row: Row): string {
  return signToken(tx.world.tokenKey, use, identityOf(row));
}

/** The row of a genuine token, if it is still the one that it was made for; compared in constant time. */
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
 * As `signRow`, for an address that is opened without a key: it names its world as well. A fork shares its
 * source's key and rows, but not the addresses of them.
 */
export function signAddress(tx: Tx, use: string, row: Row): string {
  return `${tx.world.name}.${signRow(tx, `${use} in ${tx.world.name}`, row)}`;
}

/** World that an address claims to belong to, still to be proven by `verifyAddress` in that world. */
export function worldOfAddress(address: string): string {
  return address.slice(0, Math.max(0, address.indexOf('.')));
}

/** As `verifyRow`, for an address of this world. */
export function verifyAddress<Found extends Row>(
  tx: Tx,
  use: string,
  address: string,
  find: (tx: Tx, id: string) => Found | undefined,
): Found | undefined {
  const sealed = address.slice(worldOfAddress(address).length + 1);
  return verifyRow(tx, `${use} in ${tx.world.name}`, sealed, find);
}

function identityOf({ id, createdAt, domain }: Row): string {
  return `${id} ${createdAt} ${domain}`;
}

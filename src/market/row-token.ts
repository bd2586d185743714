import { signToken, verifyToken } from '../kernel/token.ts';
import type { Tx } from '../store/transaction.ts';

/** The columns that identify a row in a token. An id is not enough, because a reset with `same_ids` repeats ids. */
interface TokenRow {
  id: string;
  domain: string;
  /** Unix ms of sandbox time. */
  createdAt: number;
}

/** Signs a token for a row. @param purpose the token is valid for this purpose only */
export function signRow(tx: Tx, purpose: string, row: TokenRow): string {
  return signToken(tx.world.tokenKey, purpose, payloadOf(row));
}

/** Returns the end of the payload of each quote token of a domain, to search the log for them. */
export function endOfQuoteTokens(domain: string): string {
  // It follows 33 bytes: an ID of 19 characters, a space and a time padded to 13 digits. They fill whole groups of three,
  // so the base64 of the rest is the same in every token.
  return `${Buffer.from(` ${domain}`).toString('base64url')}.`;
}

/** Reads the domain of an unverified token of `signRow`, for display; undefined if it has none. */
export function domainOfRowToken(token: string): string | undefined {
  const payload = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString();
  return /^\S+ \d+ ([\w.-]+)$/.exec(payload)?.[1];
}

/** Returns the row of a valid token, unless another row has its id now. Signatures are compared in constant time. */
export function verifyRow<Found extends TokenRow>(
  tx: Tx,
  purpose: string,
  token: string,
  find: (tx: Tx, id: string) => Found | undefined,
): Found | undefined {
  const payload = verifyToken(tx.world.tokenKey, purpose, token);
  const [id] = payload?.split(' ') ?? [];
  const row = id === undefined ? undefined : find(tx, id);
  return row && payloadOf(row) === payload ? row : undefined;
}

/**
 * Signs a token for a URL that works without a credential, so the token names the world. A fork has the token key and
 * the rows of its source, but the URLs of the source are not valid in it.
 */
export function signUrlToken(tx: Tx, purpose: string, row: TokenRow): string {
  return `${tx.world.name}.${signRow(tx, purposeInWorld(tx, purpose), row)}`;
}

/** Returns the world that a token names; empty if it names none. `verifyUrlToken` verifies the token in that world. */
export function worldOfUrlToken(urlToken: string): string {
  // No name of a world has a dot.
  return urlToken.slice(0, Math.max(0, urlToken.indexOf('.')));
}

/** Returns the row of a valid token of `signUrlToken` in this world. */
export function verifyUrlToken<Found extends TokenRow>(
  tx: Tx,
  purpose: string,
  urlToken: string,
  find: (tx: Tx, id: string) => Found | undefined,
): Found | undefined {
  const worldName = worldOfUrlToken(urlToken);
  if (worldName !== tx.world.name) return undefined;
  const token = urlToken.slice(worldName.length + 1);
  return verifyRow(tx, purposeInWorld(tx, purpose), token, find);
}

function payloadOf({ id, createdAt, domain }: TokenRow): string {
  return `${id} ${String(createdAt).padStart(13, '0')} ${domain}`;
}

function purposeInWorld({ world }: Tx, purpose: string): string {
  return `${purpose} in ${world.name}`;
}

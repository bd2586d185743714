import type { Context } from 'hono';
import { bareName, hostOf, isFromOtherOrigin, localAddressOf } from '../http/request.ts';
import { isLoopbackName, isWildcard } from '../kernel/addresses.ts';
import { CodedError, forbidden } from '../kernel/errors.ts';
import { signaturesEqual } from '../signing/signature.ts';
import { carriesSession } from './session.ts';

export interface GuardOptions {
  /** Required of every caller, if set (`--control-token`). */
  token: string | undefined;
  /** Address that the server listens on. */
  host: string;
  /** Origin under which clients reach the server (`--public-url`). */
  publicUrl: string | undefined;
}

/**
 * Checks Host and origin, and the control token if one is set.
 * @throws forbidden, missing_credentials
 */
export function guardControl(c: Context, options: GuardOptions): void {
  guardOrigin(c, options);
  if (isAdmitted(c, options)) return;
  throw new CodedError(
    'missing_credentials',
    'Authorization: missing or wrong; send "Bearer TOKEN" with the control token of this sandbox, or set SANDLOT_CONTROL_TOKEN for the command line',
  );
}

/** Checks Host and origin only, for requests that need no token. @throws forbidden */
export function guardOrigin(c: Context, options: GuardOptions): void {
  const host = hostOf(c);
  // Rejects pages that use DNS rebinding. They do not have the token, so with the token any name is accepted.
  if (!isOwnHost(c, host.name, options) && !hasToken(c, options)) {
    throw forbidden(
      `Host: "${host.full}" is not a name of this sandbox; use a loopback name, set --public-url to the address that you use, or send the control token in the Authorization header`,
    );
  }
  guardCrossSite(c, options);
}

/**
 * Checks public endpoints. With a token set, the port is open to the network, where a probe may use any Host.
 * @throws forbidden
 */
export function guardPublic(c: Context, options: GuardOptions): void {
  if (options.token === undefined) guardOrigin(c, options);
  else guardCrossSite(c, options);
}

/** Returns whether the request carries the token or a session, or needs none. The origin must have been checked before. */
export function isAdmitted(c: Context, options: GuardOptions): boolean {
  const { token } = options;
  if (token === undefined || hasToken(c, options)) return true;
  // A browser sends the cookie by itself, so a change must also have an Origin, which was checked.
  const isChange = c.req.method !== 'GET' && c.req.method !== 'HEAD';
  if (isChange && c.req.header('origin') === undefined) return false;
  // `guardPublic` has not checked the host.
  return isOwnHost(c, hostOf(c).name, options) && carriesSession(c, token);
}

function isOwnHost(c: Context, name: string, { host, publicUrl }: GuardOptions): boolean {
  // A server can listen on 0.0.0.0, but that does not name it.
  if (isLoopbackName(name) || name === bareName(host)) return !isWildcard(name);
  if (publicUrl !== undefined && name === bareName(new URL(publicUrl).hostname)) return true;
  // If the server listens on every address, the address of the connection is accepted too.
  return isWildcard(host) && name !== '' && name === localAddressOf(c);
}

function guardCrossSite(c: Context, { publicUrl }: GuardOptions): void {
  const origin = c.req.header('origin');
  // Links from other sites may be followed, because they only read, but not into a frame of another page.
  const followsLink =
    origin === undefined &&
    c.req.method === 'GET' &&
    c.req.header('sec-fetch-mode') === 'navigate' &&
    c.req.header('sec-fetch-dest') === 'document';
  if (!followsLink && isFromOtherOrigin(c, publicUrl)) {
    throw forbidden(
      'Origin: requests from other web pages are rejected; behind a proxy, set --public-url to the address that you use',
    );
  }
}

function hasToken(c: Context, { token }: GuardOptions): boolean {
  if (token === undefined) return false;
  const [, sentToken = ''] = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
  return signaturesEqual(token, sentToken);
}

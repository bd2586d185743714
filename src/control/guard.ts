import type { Context } from 'hono';
import {
  bareName,
  hostOf,
  isFromOtherOrigin,
  localAddressOf,
  type RequestHost,
} from '../http/own-origin.ts';
import { CodedError, forbidden } from '../kernel/errors.ts';
import { isLoopbackName, isWildcard } from '../kernel/host-name.ts';
import { carriesSession, sameSecret } from './session.ts';

export interface GuardOptions {
  /** Required from every caller when set (`--control-token`). */
  token: string | undefined;
  /** Address that the server listens on. */
  host: string;
  /** Origin under which clients reach the server (`--public-url`). */
  publicUrl: string | undefined;
}

/**
 * Keeps web pages and strangers away from the control API: checks Host and origin, and the control token
 * where one is set.
 * @throws forbidden, missing_credentials
 */
export function guardControl(c: Context, options: GuardOptions): void {
  guardOrigin(c, options);
  if (isAdmitted(c, options)) return;
  throw new CodedError(
    'missing_credentials',
    'Authorization: this control door needs "Bearer" and its --control-token',
  );
}

/** As `guardControl`, for requests that are served before the token is shown. @throws forbidden */
export function guardOrigin(c: Context, options: GuardOptions): void {
  const host = hostOf(c);
  // A page that rebinds a name to this address has no token; whoever has it may use any name.
  if (!isOwnHost(c, host, options) && !bearsToken(c, options)) {
    throw forbidden(
      `Host: "${host.full}" is not a name of this sandbox; use a loopback name, set --public-url to the address that you use, or send the control token in the Authorization header`,
    );
  }
  guardCrossSite(c, options);
}

/**
 * As `guardOrigin`, for what anybody who reaches the port may ask. With a token set, that is the network, and
 * a probe may use any name.
 * @throws forbidden
 */
export function guardPublic(c: Context, options: GuardOptions): void {
  if (options.token === undefined) guardOrigin(c, options);
  else guardCrossSite(c, options);
}

/** Whether the token was shown, or none is needed; the origin must have been guarded before. */
export function isAdmitted(c: Context, options: GuardOptions): boolean {
  const { token } = options;
  if (token === undefined || bearsToken(c, options)) return true;
  // A browser adds the cookie by itself, so a change must also say that it comes from our own page.
  const changes = c.req.method !== 'GET' && c.req.method !== 'HEAD';
  if (changes && c.req.header('origin') === undefined) return false;
  const host = hostOf(c);
  return isOwnHost(c, host, options) && carriesSession(c, token, host.port);
}

function isOwnHost(c: Context, { name }: RequestHost, { host, publicUrl }: GuardOptions): boolean {
  if (isLoopbackName(name) || name === bareName(host)) return !isWildcard(name);
  if (publicUrl !== undefined && name === bareName(new URL(publicUrl).hostname)) return true;
  // Listening on every address, the one that was connected to is the address of --host.
  return isWildcard(host) && name !== '' && name === localAddressOf(c);
}

function guardCrossSite(c: Context, { publicUrl }: GuardOptions): void {
  const origin = c.req.header('origin');
  // Following a link here is no more than looking.
  const followsLink =
    origin === undefined && c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
  if (!followsLink && isFromOtherOrigin(c, publicUrl)) {
    throw forbidden('the control door refuses requests from other web pages');
  }
}

function bearsToken(c: Context, { token }: GuardOptions): boolean {
  if (token === undefined) return false;
  return sameSecret(/^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '', token);
}

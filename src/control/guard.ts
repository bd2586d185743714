import type { Context } from 'hono';
import { incomingOf } from '../http/over-hono.ts';
import { CodedError, forbidden } from '../kernel/errors.ts';
import { isLoopbackName, isWildcard } from '../kernel/host-name.ts';
import { carriesSession, sameSecret } from './session.ts';

export interface GuardOptions {
  /** Asked of every caller when set (`--control-token`). */
  token: string | undefined;
  /** The host name that sandlot was told to listen on, allowed beside loopback names. */
  host: string;
}

/**
 * Keeps web pages and strangers from steering the sandbox: the Host must be loopback or the configured
 * one, a foreign Origin is refused, and a token, where one is set, must be shown.
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

/** As `guardControl`, for what may be asked before the token was shown. @throws forbidden */
export function guardOrigin(c: Context, { token, host }: GuardOptions): void {
  const named = hostOf(c);
  // Listening on every address, it has no name of its own; then the token alone decides, and one is needed.
  const anyName = token !== undefined && isWildcard(host);
  if (
    !anyName &&
    !isLoopbackName(named.name) &&
    named.name.replace(/^\[|\]$/g, '') !== host.toLowerCase()
  ) {
    throw forbidden(
      `the control door answers on loopback names and ${host}, not on "${named.name}"`,
    );
  }
  const origin = c.req.header('origin');
  const foreign = origin !== undefined && origin.toLowerCase() !== `http://${named.full}`;
  if (foreign || isOfAnotherOrigin(c)) {
    throw forbidden('the control door refuses requests from other web pages');
  }
}

/** Whether the token was shown, or none is needed; the origin must have been guarded before. */
export function isAdmitted(c: Context, { token }: Pick<GuardOptions, 'token'>): boolean {
  if (token === undefined || bears(c.req.header('authorization'), token)) return true;
  // A browser adds the cookie by itself, so a change must also say that it comes from our own page.
  const changes = c.req.method !== 'GET' && c.req.method !== 'HEAD';
  if (changes && c.req.header('origin') === undefined) return false;
  return carriesSession(c, token, portOf(c));
}

/** The port under which it was asked. */
export function portOf(c: Context): string {
  return /:(\d+)$/.exec(hostOf(c).full)?.[1] ?? '80';
}

/**
 * Browsers say so themselves; following a link here is no more than looking. Another port of this machine is
 * the same site to them, and not ours.
 */
function isOfAnotherOrigin(c: Context): boolean {
  const followsLink = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
  const site = c.req.header('sec-fetch-site');
  return (site === 'cross-site' || site === 'same-site') && !followsLink;
}

function hostOf(c: Context): { full: string; name: string } {
  const incoming = incomingOf(c);
  const full = (incoming ? incoming.headers.host : new URL(c.req.url).host) ?? '';
  return { full: full.toLowerCase(), name: full.toLowerCase().replace(/:\d+$/, '') };
}

function bears(header: string | undefined, token: string): boolean {
  return sameSecret(/^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? '', token);
}

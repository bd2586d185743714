import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { incomingOf } from '../http/over-hono.ts';
import { CodedError, forbidden } from '../kernel/errors.ts';
import { isLoopbackName, isWildcard } from '../kernel/host-name.ts';

export interface GuardOptions {
  /** Asked of every caller when set (`--control-token`). */
  token: string | undefined;
  /** The host name that sandlot was told to listen on, allowed beside loopback names. */
  host: string;
}

/**
 * Keeps web pages and strangers from steering the sandbox: the Host must be loopback or the configured
 * one, a cross-site Origin is refused, and a token, where one is set, must be shown.
 * @throws forbidden, missing_credentials
 */
export function guardControl(c: Context, { token, host }: GuardOptions): void {
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
  if (foreign || isCrossSite(c)) {
    throw forbidden('the control door refuses requests from other web pages');
  }
  if (token !== undefined && !bears(c.req.header('authorization'), token)) {
    throw new CodedError(
      'missing_credentials',
      'Authorization: this control door needs "Bearer" and its --control-token',
    );
  }
}

/** Browsers say so themselves; following a link here is no more than looking. */
function isCrossSite(c: Context): boolean {
  const followsLink = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
  return c.req.header('sec-fetch-site') === 'cross-site' && !followsLink;
}

function hostOf(c: Context): { full: string; name: string } {
  const incoming = incomingOf(c);
  const full = (incoming ? incoming.headers.host : new URL(c.req.url).host) ?? '';
  return { full: full.toLowerCase(), name: full.toLowerCase().replace(/:\d+$/, '') };
}

function bears(header: string | undefined, token: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

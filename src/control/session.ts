import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';

/** Path below which the cookie is sent. */
const BELOW = '/_sandbox';

/**
 * Returns the cookie that replaces the control token in a browser. It does not contain the token, no script can read it,
 * no other site's page can make a browser send it, and it ends with the browser.
 */
export function sessionCookie(token: string, use: CookieUse): string {
  return cookie(sealOf(token), use);
}

/** Returns the cookie that deletes it. */
export function endedSessionCookie(use: CookieUse): string {
  return `${cookie('', use)}; Max-Age=0`;
}

interface CookieUse {
  /** Port of the sandbox: cookies are shared by all ports of a host. */
  port: string;
  /** Whether the browser uses https. */
  https: boolean;
}

function cookie(value: string, { port, https }: CookieUse): string {
  const secure = https ? '; Secure' : '';
  return `${nameOf(port)}=${value}; Path=${BELOW}; HttpOnly; SameSite=Strict${secure}`;
}

export function carriesSession(c: Context, token: string, port: string): boolean {
  return sameSecret(getCookie(c, nameOf(port)) ?? '', sealOf(token));
}

/** Compared in constant time. */
export function sameSecret(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const nameOf = (port: string) => `sandlot_control_${port}`;

function sealOf(token: string): string {
  return createHmac('sha256', token).update('sandlot dashboard session').digest('base64url');
}

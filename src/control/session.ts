import { createHmac } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { hostOf } from '../http/request.ts';
import { signaturesEqual } from '../signing/signature.ts';

/** Scripts cannot read the cookie, pages of other sites cannot make a browser send it, and it ends with the browser. */
const COOKIE_OPTIONS = { path: '/_sandbox', httpOnly: true, sameSite: 'Strict' } as const;

/** Sets the cookie that replaces the control token in a browser. It does not contain the token. */
export function startSession(c: Context, token: string, https: boolean): void {
  setCookie(c, cookieName(c), sessionTokenOf(token), { ...COOKIE_OPTIONS, secure: https });
}

export function carriesSession(c: Context, token: string): boolean {
  return signaturesEqual(sessionTokenOf(token), getCookie(c, cookieName(c)) ?? '');
}

/** Names the port, because all ports of a host share cookies. */
function cookieName(c: Context): string {
  return `sandlot_control_${hostOf(c).port}`;
}

export function sessionTokenOf(token: string): string {
  return createHmac('sha256', token).update('sandlot dashboard session').digest('base64url');
}

import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { incomingOf } from './hono-adapter.ts';

export interface RequestHost {
  /** In lower case, with the port if one was named. */
  full: string;
  /** Without port and brackets. */
  name: string;
  port: string;
}

export function hostOf(c: Context): RequestHost {
  const incoming = incomingOf(c);
  const full = ((incoming ? incoming.headers.host : new URL(c.req.url).host) ?? '').toLowerCase();
  const port = /:(\d+)$/.exec(full)?.[1] ?? '80';
  return { full, name: bareName(full.replace(/:\d+$/, '')), port };
}

/** Returns the local address of the connection; undefined in process. */
export function localAddressOf(c: Context): string | undefined {
  const incoming: IncomingMessage | undefined = incomingOf(c);
  return incoming?.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
}

export function bareName(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '');
}

/**
 * Returns whether a page of another origin sent a request, according to its Origin and Sec-Fetch-Site headers, which
 * only browsers send.
 * @param publicUrl origin under which a proxy serves these pages
 */
export function isFromOtherOrigin(c: Context, publicUrl: string | undefined): boolean {
  const origin = c.req.header('origin')?.toLowerCase();
  const own = [`http://${hostOf(c).full}`, ...(publicUrl === undefined ? [] : [publicUrl])];
  if (origin !== undefined && !own.includes(origin)) return true;
  const site = c.req.header('sec-fetch-site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

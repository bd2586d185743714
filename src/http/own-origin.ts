import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { incomingOf } from './hono-adapter.ts';

/** What a request says of the address that it was sent to. */
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

/** The address of this machine that a connection came in on; undefined in process. */
export function localAddressOf(c: Context): string | undefined {
  const incoming: IncomingMessage | undefined = incomingOf(c);
  return incoming?.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
}

/** A host as names are compared. */
export function bareName(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '');
}

/**
 * Whether a request was sent by a page of another origin, by what browsers say of it. Clients that are not
 * browsers send neither header.
 * @param publicUrl under which a proxy serves these pages
 */
export function isFromOtherOrigin(c: Context, publicUrl: string | undefined): boolean {
  const origin = c.req.header('origin')?.toLowerCase();
  const own = [`http://${hostOf(c).full}`, ...(publicUrl === undefined ? [] : [publicUrl])];
  if (origin !== undefined && !own.includes(origin)) return true;
  const site = c.req.header('sec-fetch-site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

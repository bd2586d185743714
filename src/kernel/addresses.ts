import { domainToASCII } from 'node:url';

/** At least two labels, the last of which is not a number. */
const HOST_NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$|0x[\da-f]*$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NOT_ASCII = /[^ -~]/;
const ASCII_OUTSIDE_HOST_NAMES = /[^a-z0-9.\-\u0080-\u{10ffff}]/u;

/**
 * Normalizes a domain name: trimmed, lower case, without a trailing dot, IDN as punycode.
 * @returns undefined if the result is not a host name of at least two labels
 */
export function normalizeDomain(text: string): string | undefined {
  let name = text.trim().toLowerCase();
  if (name.endsWith('.')) name = name.slice(0, -1);
  if (NOT_ASCII.test(name)) {
    // domainToASCII decodes percent signs and parses addresses; so it gets host name characters only.
    if (ASCII_OUTSIDE_HOST_NAMES.test(name)) return undefined;
    name = domainToASCII(name);
  }
  return name.length <= 253 && HOST_NAME.test(name) ? name : undefined;
}

/** Whether a server that listens on this address listens on all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns the address of a listening server; a wildcard host is reached over loopback. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  const name = isWildcard(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Whether a name is 127.0.0.0/8, ::1, localhost or ends with .localhost. */
export function isLoopbackName(name: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[?::1\]?|(?:[a-z0-9-]+\.)*localhost)$/i.test(name);
}

/** Path, query and fragment as the URL Standard allows them to be written: non-ASCII as it is, `%` only as an escape. */
const REST = /^(?:[/?#](?:[\w\-.~!$&'()*+,;=:@/?#\u{a0}-\u{10ffff}]|%[\da-f]{2})*)?$/iu;

/**
 * Parses an absolute http or https URL without user info. Rejects some of what `URL.parse` would repair: missing
 * slashes, spaces, backslashes. URLs are stored and followed as sent.
 */
export function parseHttpUrl(text: string): URL | undefined {
  // User info would leave an `@`, with which `REST` does not begin.
  const [origin, authority = ''] = /^https?:\/\/([^/?#\\@\s]+)/i.exec(text) ?? [];
  if (origin === undefined || !REST.test(text.slice(origin.length))) return undefined;
  if (/\p{Cc}/u.test(authority) || !text.isWellFormed()) return undefined;
  return URL.parse(text) ?? undefined;
}

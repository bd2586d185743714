/** Path, query and fragment as the URL Standard allows them to be written: non-ASCII as it is, `%` only as an escape. */
const REST = /^(?:[/?#](?:[\w\-.~!$&'()*+,;=:@/?#\u{a0}-\u{10ffff}]|%[\da-f]{2})*)?$/iu;

/**
 * Parses an absolute http or https URL without user info. Rejects what `URL.parse` would repair (`http:a.example`,
 * spaces, backslashes), because URLs are stored and followed as sent.
 */
export function parseHttpUrl(text: string): URL | undefined {
  const [whole, authority = ''] = /^https?:\/\/([^/?#\\@\s]+)/i.exec(text) ?? [];
  if (whole === undefined || !REST.test(text.slice(whole.length))) return undefined;
  if (/\p{Cc}/u.test(authority) || !text.isWellFormed()) return undefined;
  return URL.parse(text) ?? undefined;
}

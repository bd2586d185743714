import { domainToASCII } from 'node:url';

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
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
  const labels = name.split('.');
  const top = labels.at(-1) ?? '';
  if (labels.length < 2 || name.length > 253 || /^(?:\d+|0x[\da-f]*)$/.test(top)) return undefined;
  return labels.every((label) => LABEL.test(label)) ? name : undefined;
}

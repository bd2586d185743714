import type { SignedRequest } from './partner-client.ts';
/**
 * Quotes a text for bash, zsh and ksh. Control characters, which would control the terminal that shows the text, are
 * escaped in `$'…'`.
 */
export function shellQuote(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const spelled = text.replace(/['\\]/g, '\\$&').replace(ALL_CONTROLS, octal);
  return `$'${spelled}'`;
}

// Line breaks and tabs are harmless. A single byte of the C1 controls is not a character in UTF-8.
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
const CONTROL = /[\x01-\x08\x0b-\x1f\x7f]/;
const ALL_CONTROLS = new RegExp(CONTROL, 'g');

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

/** Formats a curl command that sends exactly this request. @returns undefined if the body is not text */
export function printCurl({ url, method, headers, body }: SignedRequest): string | undefined {
  const text = body === undefined ? '' : textOf(body);
  if (text === undefined) return undefined;
  // curl reads brackets and braces in the URL as patterns.
  const plain = /[[\]{}]/.test(url) ? ['--globoff'] : [];
  const how = method === 'HEAD' ? ['--head'] : ['-X', method];
  const parts = [
    ['curl', '-sS', ...plain, ...how, url],
    ...Object.entries(headers).map(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(body === undefined ? [] : [['--data-binary', text]]),
  ];
  return parts.map((words) => words.map(shellQuote).join(' ')).join(' \\\n  ');
}

function textOf(body: string | Uint8Array): string | undefined {
  if (typeof body === 'string') return body;
  const text = Buffer.from(body).toString();
  const same = Buffer.from(text).equals(body) && !text.includes('\0');
  return same ? text : undefined;
}

import type { SignedRequest } from './partner-client.ts';

/** Quotes a text for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Formats a curl command that sends exactly this request. @returns undefined if the body is not text */
export function formatCurl({ url, method, headers, body }: SignedRequest): string | undefined {
  const text = body === undefined ? '' : textOf(body);
  if (text === undefined) return undefined;
  // curl reads brackets and braces in the URL as patterns.
  const globOptions = /[[\]{}]/.test(url) ? ['--globoff'] : [];
  const methodOptions = method === 'HEAD' ? ['--head'] : ['-X', method];
  const parts = [
    ['curl', '-sS', ...globOptions, ...methodOptions, url],
    ...Object.entries(headers).map(([name, value]) => ['-H', headerOption(name, value)]),
    // Unlike --data and --data-binary, sends a text that begins with @ as it is.
    ...(body === undefined ? [] : [['--data-raw', text]]),
  ];
  return parts.map((words) => words.map(shellQuote).join(' ')).join(' \\\n  ');
}

function headerOption(name: string, value: string): string {
  // With `Name:`, curl sends no such header.
  return value === '' ? `${name};` : `${name}: ${value}`;
}

function textOf(body: string | Uint8Array): string | undefined {
  if (typeof body === 'string') return body;
  const text = Buffer.from(body).toString();
  const isText = Buffer.from(text).equals(body) && !text.includes('\0');
  return isText ? text : undefined;
}

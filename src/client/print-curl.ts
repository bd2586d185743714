import type { SignedRequest } from './partner-client.ts';
import { shellQuote } from './shell-quote.ts';

/**
 * A curl command line that sends exactly this request, ready to be pasted into a POSIX shell. A body that is
 * no text cannot stand in one.
 * @param flags further options of curl
 * @returns undefined for such a body
 */
export function printCurl(
  { url, method, headers, body }: SignedRequest,
  flags: readonly string[] = [],
): string | undefined {
  const text = body === undefined ? '' : textOf(body);
  if (text === undefined) return undefined;
  // curl would read brackets and braces in the url as patterns.
  const plain = /[[\]{}]/.test(url) ? ['--globoff'] : [];
  const parts = [
    ['curl', '-sS', ...flags, ...plain, ...(method === 'HEAD' ? ['--head'] : ['-X', method]), url],
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

import { shellWords } from './shell-words.ts';

/** The request that a printed curl command sends. */
export interface CurlLine {
  method: string;
  /** Path and query. */
  target: string;
  /** By name as printed. */
  headers: Record<string, string>;
  body: string | undefined;
}

/** Reads a command of `formatCurl`. */
export function readCurlLine(line: string): CurlLine {
  const words = shellWords(line) ?? [];
  const after = (option: string) =>
    words.flatMap((word, n) => (words[n - 1] === option ? word : []));
  const url = words.find((word) => /^https?:/.test(word)) ?? '';
  return {
    method: words.includes('--head') ? 'HEAD' : (after('-X')[0] ?? ''),
    target: url.replace(/^\w+:\/\/[^/]*/, ''),
    headers: Object.fromEntries(
      after('-H').map((header) => {
        const [, name = '', value = ''] = /^([^:;]+)(?:;|: (.*))$/s.exec(header) ?? [];
        return [name, value];
      }),
    ),
    body: after('--data-raw')[0],
  };
}

/** The `verify` command for the request of a curl command. */
export function verifyWords(line: string): string[] {
  const { method, target, headers, body } = readCurlLine(line);
  const options = {
    method,
    path: target,
    'key-id': headers['X-Service-Key-Id'],
    timestamp: headers['X-Service-Timestamp'],
    nonce: headers['X-Service-Nonce'],
    signature: headers['X-Service-Signature'],
    data: body,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return ['verify', ...given.flatMap(([name, value]) => [`--${name}`, value ?? ''])];
}

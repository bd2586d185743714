import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { splitTarget } from '../../signing/canonical.ts';
import { shellWords } from './shell-words.ts';

interface SplitUrl {
  /** Scheme, host and port as spelled; empty if the URL has no scheme. */
  origin: string;
  /** As spelled in the URL. */
  path: string;
  /** Without `?`. */
  query: string;
}

export interface CurlRequest extends SplitUrl {
  method: string;
  /** By lower-case name; the last one of a name wins. */
  headers: Map<string, string>;
  body: Buffer;
}

/** The text is not a curl command, or has an option that is not supported. */
export class CurlSyntaxError extends Error {
  override readonly name = 'CurlSyntaxError';
}

/** Short names of options with a value, by their long names. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  request: 'X',
  header: 'H',
  data: 'd',
  user: 'u',
  output: 'o',
  'max-time': 'm',
  'write-out': 'w',
  'user-agent': 'A',
  referer: 'e',
  cookie: 'b',
  'cookie-jar': 'c',
  proxy: 'x',
  'dump-header': 'D',
};
/** All options with a value. Options that `parseCurl` does not read do not change what is signed. */
const OPTIONS_WITH_VALUE = [
  ...Object.keys(SHORT_NAMES),
  ...['url', 'data-ascii', 'data-raw', 'data-binary', 'json', 'connect-timeout', 'retry'],
  ...['retry-delay', 'resolve', 'cacert', 'request-target'],
];
const UNSUPPORTED = ['-F', '--form', '--data-urlencode', '-T', '--upload-file', '-K', '--config'];

const OPTIONS: ParseArgsOptionsConfig = {
  get: { type: 'boolean', short: 'G' },
  head: { type: 'boolean', short: 'I' },
  ...Object.fromEntries(
    OPTIONS_WITH_VALUE.map((name) => {
      const short = SHORT_NAMES[name];
      return [name, { type: 'string', ...(short !== undefined && { short }) }];
    }),
  ),
};

/** Parses a curl command. @param readFile reads the file of `--data @file` @throws CurlSyntaxError */
export async function parseCurl(
  line: string,
  readFile: (file: string) => Promise<Buffer>,
): Promise<CurlRequest> {
  const words = shellWords(line.trim());
  if (!words) throw new CurlSyntaxError('a quote is not closed');
  if (words[0] !== 'curl') throw new CurlSyntaxError('expected a command that starts with curl');
  let method: string | undefined;
  let url: string | undefined;
  let requestTarget: string | undefined;
  let isDataInQuery = false;
  const headers = new Map<string, string>();
  const data: Buffer[] = [];
  for (const [name, value] of readOptions(words.slice(1))) {
    if (name === 'url') url = value;
    else if (name === 'request-target') requestTarget = value;
    else if (name === 'request') method = value;
    else if (name === 'header') {
      const colon = value.indexOf(':');
      if (colon > 0)
        headers.set(value.slice(0, colon).trim().toLowerCase(), value.slice(colon + 1).trim());
    } else if (name === 'json' || name.startsWith('data')) {
      if (data.length > 0) data.push(AMPERSAND);
      data.push(await readData(name, value, readFile));
    } else if (name === 'get') isDataInQuery = true;
    else if (name === 'head') method ??= 'HEAD';
  }
  if (url === undefined) throw new CurlSyntaxError('the URL is missing');
  const body = Buffer.concat(data);
  const target = { ...splitUrl(url), ...(requestTarget && splitTarget(requestTarget)) };
  if (isDataInQuery) {
    const query = [target.query, body.toString()].filter(Boolean).join('&');
    return { method: method ?? 'GET', ...target, query, headers, body: Buffer.alloc(0) };
  }
  return { method: method ?? (data.length > 0 ? 'POST' : 'GET'), ...target, headers, body };
}

const AMPERSAND = Buffer.from('&');

/** Yields the long names of options with their values; the value of a flag is empty. */
function* readOptions(args: string[]): Generator<[name: string, value: string]> {
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') yield ['url', token.value];
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (UNSUPPORTED.includes(rawName)) throw new CurlSyntaxError(`${rawName} is not supported`);
    if (value === undefined && OPTIONS_WITH_VALUE.includes(name)) {
      throw new CurlSyntaxError(`the value of ${rawName} is missing`);
    }
    yield [name, value ?? ''];
  }
}

/** Reads `@file` like curl, which drops line breaks except for --data-binary and --json. */
async function readData(
  name: string,
  value: string,
  readFile: (file: string) => Promise<Buffer>,
): Promise<Buffer> {
  if (name === 'data-raw' || !value.startsWith('@')) return Buffer.from(value);
  const bytes = await readFile(value.slice(1));
  if (name === 'data-binary' || name === 'json') return bytes;
  return Buffer.from(bytes.toString('latin1').replace(/[\r\n\0]/g, ''), 'latin1');
}

/** Splits a URL without normalizing it; an empty path becomes a slash. */
export function splitUrl(url: string): SplitUrl {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
  const afterHost = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*(.*)$/is.exec(url)?.[1] ?? '';
  const target = afterHost.replace(/#.*$/s, '');
  return { origin, ...splitTarget(target.startsWith('/') ? target : `/${target}`) };
}

import { splitTarget } from '../../signing/canonical.ts';
import { shellWords } from './shell-words.ts';

export interface SplitUrl {
  /** Scheme, host and port as spelled; empty if the URL has no scheme. */
  origin: string;
  /** As spelled in the URL. */
  path: string;
  /** Without `?`. */
  query: string;
}

export interface CurlRequest extends SplitUrl {
  method: string;
  /** Names in lower case; the last one given counts. */
  headers: Map<string, string>;
  body: Buffer;
}

/** The text is not a curl command, or has an option that is not supported. */
export class CurlSyntaxError extends Error {
  override readonly name = 'CurlSyntaxError';
}

const DATA = new Set(['-d', '--data', '--data-ascii', '--data-raw', '--data-binary', '--json']);
/** Options whose value changes neither method, path and body nor the signing headers. */
const WITH_VALUE = new Set([
  ...['-o', '--output', '-m', '--max-time', '--connect-timeout', '-w', '--write-out', '-A'],
  ...['--user-agent', '-e', '--referer', '-b', '--cookie', '-c', '--cookie-jar', '--retry'],
  ...['--retry-delay', '-x', '--proxy', '--resolve', '--cacert', '-D', '--dump-header'],
]);
const UNSUPPORTED = new Set(['-F', '--form', '--data-urlencode', '-T', '--upload-file', '-K']);
/** Short options with a value, to split `-XPOST` and `-sSXPOST`. */
const SHORT_WITH_VALUE = 'XHdomwAebcxDFTKu';

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
  let inQuery = false;
  const headers = new Map<string, string>();
  const data: Buffer[] = [];
  for (const [name, value] of readOptions(words.slice(1))) {
    if (name === 'url') url = value;
    else if (name === '-X' || name === '--request') method = value;
    else if (name === '-H' || name === '--header') {
      const colon = value.indexOf(':');
      if (colon > 0)
        headers.set(value.slice(0, colon).trim().toLowerCase(), value.slice(colon + 1).trim());
    } else if (DATA.has(name)) data.push(await readData(name, value, readFile));
    else if (name === '-G' || name === '--get') inQuery = true;
    else if (name === '-I' || name === '--head') method ??= 'HEAD';
  }
  if (url === undefined) throw new CurlSyntaxError('the URL is missing');
  const body = Buffer.concat(
    data.flatMap((each, index) => (index === 0 ? [each] : [AMPERSAND, each])),
  );
  const target = splitUrl(url);
  if (inQuery) {
    const query = [target.query, body.toString()].filter(Boolean).join('&');
    return { method: method ?? 'GET', ...target, query, headers, body: Buffer.alloc(0) };
  }
  return { method: method ?? (data.length > 0 ? 'POST' : 'GET'), ...target, headers, body };
}

const AMPERSAND = Buffer.from('&');

/** Yields options with their values; that of a flag is empty, and the URL is named `url`. */
function* readOptions(words: readonly string[]): Generator<[name: string, value: string]> {
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-') {
      yield ['url', word];
      continue;
    }
    const { name, attached } = splitOption(word, rest);
    if (UNSUPPORTED.has(name)) throw new CurlSyntaxError(`${name} is not supported`);
    if (!takesValue(name)) {
      yield [name, ''];
      continue;
    }
    const value = attached ?? rest.shift();
    if (value === undefined) throw new CurlSyntaxError(`the value of ${name} is missing`);
    yield [name === '--url' ? 'url' : name, value];
  }
}

/** Splits `-XPOST` into `-X POST`; the rest of `-sSX` goes back to `rest`. */
function splitOption(word: string, rest: string[]): { name: string; attached: string | undefined } {
  if (word.startsWith('--') || word.length === 2) return { name: word, attached: undefined };
  const name = word.slice(0, 2);
  if (SHORT_WITH_VALUE.includes(word.charAt(1))) return { name, attached: word.slice(2) };
  rest.unshift(`-${word.slice(2)}`);
  return { name, attached: undefined };
}

function takesValue(name: string): boolean {
  return (
    ['-X', '--request', '-H', '--header', '--url', '-u', '--user'].includes(name) ||
    DATA.has(name) ||
    WITH_VALUE.has(name)
  );
}

/** Reads `@file` as curl does: all but --data-binary and --json drop line breaks. */
async function readData(
  name: string,
  value: string,
  readFile: (file: string) => Promise<Buffer>,
): Promise<Buffer> {
  if (name === '--data-raw' || !value.startsWith('@')) return Buffer.from(value);
  const bytes = await readFile(value.slice(1));
  if (name === '--data-binary' || name === '--json') return bytes;
  return Buffer.from(bytes.toString('latin1').replace(/[\r\n\0]/g, ''), 'latin1');
}

/** Splits a URL as it is spelled; an empty path becomes a slash. */
export function splitUrl(url: string): SplitUrl {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
  const afterHost = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*(.*)$/is.exec(url)?.[1] ?? '';
  const target = afterHost.replace(/#.*$/s, '');
  return { origin, ...splitTarget(target.startsWith('/') ? target : `/${target}`) };
}

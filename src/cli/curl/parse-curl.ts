import { shellWords } from '../shell/words.ts';
import { type SplitUrl, splitUrl } from '../split-url.ts';

/** What a curl command line would send. */
export interface CurlRequest extends SplitUrl {
  method: string;
  /** Names in lower case; the last one given counts. */
  headers: Map<string, string>;
  body: Buffer;
}

/** The line is no curl command line, or holds something that is not understood. */
export class CurlSyntaxError extends Error {
  override readonly name = 'CurlSyntaxError';
}

const DATA = new Set(['-d', '--data', '--data-ascii', '--data-raw', '--data-binary', '--json']);
/** Options with a value that changes nothing about method, path, body or the four headers. */
const WITH_VALUE = new Set([
  ...['-o', '--output', '-m', '--max-time', '--connect-timeout', '-w', '--write-out', '-A'],
  ...['--user-agent', '-e', '--referer', '-b', '--cookie', '-c', '--cookie-jar', '--retry'],
  ...['--retry-delay', '-x', '--proxy', '--resolve', '--cacert', '-D', '--dump-header'],
]);
const NOT_UNDERSTOOD = new Set(['-F', '--form', '--data-urlencode', '-T', '--upload-file', '-K']);
/** Short options that take a value, so that `-XPOST` and `-sSXPOST` can be taken apart. */
const SHORT_WITH_VALUE = 'XHdomwAebcxDFTKu';

/**
 * Reads a pasted curl command line.
 * @param readFile gives what `--data @file` names
 * @throws CurlSyntaxError
 */
export async function parseCurl(
  line: string,
  readFile: (file: string) => Promise<Buffer>,
): Promise<CurlRequest> {
  const words = shellWords(line.trim());
  if (!words) throw new CurlSyntaxError('a quote is left open');
  if (words[0] !== 'curl') throw new CurlSyntaxError('expected a line that begins with curl');
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
  if (url === undefined) throw new CurlSyntaxError('there is no url in it');
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

/** Options with their values; a flag has an empty one, and the address is called `url`. */
function* readOptions(words: readonly string[]): Generator<[name: string, value: string]> {
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-') {
      yield ['url', word];
      continue;
    }
    const { name, attached } = takeApart(word, rest);
    if (NOT_UNDERSTOOD.has(name)) throw new CurlSyntaxError(`${name} is not understood here`);
    if (!takesValue(name)) {
      yield [name, ''];
      continue;
    }
    const value = attached ?? rest.shift();
    if (value === undefined) throw new CurlSyntaxError(`${name} lacks its value`);
    yield [name === '--url' ? 'url' : name, value];
  }
}

/** `-XPOST` is `-X POST`, and `-sSX` is `-s -S -X`: what is left of a cluster goes back in front. */
function takeApart(word: string, rest: string[]): { name: string; attached: string | undefined } {
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

/** As curl does: `@file` is read, and all but --data-binary and --json lose their line breaks then. */
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

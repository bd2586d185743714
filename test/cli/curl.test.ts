import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CurlSyntaxError, parseCurl } from '../../src/cli/parsers/curl.ts';
import { shellWords } from '../../src/cli/parsers/shell-words.ts';
import { printCurl, shellQuote } from '../../src/client/curl.ts';
import { splitTarget } from '../../src/signing/canonical.ts';
import { anyText } from '../support/any-text.ts';

const noFile = async (): Promise<Buffer> => {
  throw new Error('no file is to be read');
};

test('a quoted word is read as itself, by a real shell and by ours', () => {
  const texts = [
    '',
    'plain',
    'a b',
    "it's",
    `"$HOME" \`id\` \\ \n !*?[]{}~#&;|<>()`,
    'ü😀',
    "'",
    '-n',
  ];
  for (const text of texts) {
    const seen = execFileSync('sh', ['-c', `printf %s ${shellQuote(text)}`], { encoding: 'utf8' });
    expect(seen).toBe(text);
    expect(shellWords(shellQuote(text))).toEqual([text]);
  }
  const steering = "\x1b[2J\r'\\ it's \x07 7\x7f";
  expect(shellQuote(steering)).toMatch(/^[\x20-\x7e]*$/);
  const seen = execFileSync('bash', ['-c', `printf %s ${shellQuote(steering)}`]);
  expect(seen.toString()).toBe(steering);
  fc.assert(
    fc.property(fc.array(anyText()), (words) => {
      expect(shellWords(words.map(shellQuote).join(' '))).toEqual(words);
    }),
  );
});

test('quotes, escapes and continuations are read as a shell reads them', () => {
  for (const [line, words] of [
    [`$'\\xC3\\xA9\\303\\251 \\u00e9 \\U0001F600 \\ud83d\\ude00 \\a\\q'`, ['éé é 😀 😀 \x07\\q']],
    [`a  b\tc`, ['a', 'b', 'c']],
    [`a\\\n  b \\\r\n c`, ['a', 'b', 'c']],
    [`"a \\"b\\" \\$x \\n"`, ['a "b" $x \\n']],
    [`'a'"b"c\\ d`, ['abc d']],
    [`$'it\\'s \\u0021 \\x41\\1021\\n'`, ["it's ! AB1\n"]],
    [`'' ""`, ['', '']],
    [`'open`, undefined],
    [`"open`, undefined],
    ['', []],
  ] as const) {
    expect(shellWords(line), line).toEqual(words);
  }
});

test('curl lines are read in the ways in which people write them', async () => {
  const post = { method: 'POST', path: '/p', query: 'a=b', body: Buffer.from('{"x":1}') };
  for (const line of [
    `curl -X POST 'http://h:1/p?a=b' -d '{"x":1}'`,
    `curl 'http://h:1/p?a=b' --data-raw '{"x":1}' -s`,
    `curl --request POST --url "http://h:1/p?a=b" --data "{\\"x\\":1}"`,
    `curl -sSXPOST http://h:1/p?a=b --data-binary $'{"x":1}' --max-time 5 -o /dev/null`,
    `curl --json '{"x":1}' http://h:1/p?a=b#frag --compressed -k`,
    `curl \\\n  -i -X POST \\\n  "http://h:1/p?a=b" \\\n  -d '{"x":1}'`,
  ]) {
    expect(await parseCurl(line, noFile), line).toMatchObject({ ...post, origin: 'http://h:1' });
  }
  const get = { method: 'GET', path: '/p', query: 'a=b&c=d', body: Buffer.alloc(0) };
  for (const line of [
    'curl http://h:1/p?a=b\\&c=d',
    'curl -G http://h:1/p -d a=b -d c=d',
    'curl h:1/p?a=b -G --data c=d',
  ]) {
    expect(await parseCurl(line, noFile), line).toMatchObject(get);
  }
  expect(await parseCurl('curl -I http://h', noFile)).toMatchObject({ method: 'HEAD', path: '/' });
});

test('headers are found by any case; the path stays as spelled', async () => {
  const { headers, path } = await parseCurl(
    `curl http://h/a%2Fb/ü -H 'X-Service-Nonce:  n1 ' -Hx-service-key-id:k -H 'Accept;'`,
    noFile,
  );
  expect([...headers]).toEqual([
    ['x-service-nonce', 'n1'],
    ['x-service-key-id', 'k'],
  ]);
  expect(path).toBe('/a%2Fb/ü');
});

test('--data @file loses its line breaks, --data-binary keeps them, as in curl', async () => {
  const file = async (name: string) => Buffer.from(`${name}\r\nend\n`);
  expect((await parseCurl('curl h -d @f', file)).body.toString()).toBe('fend');
  expect((await parseCurl('curl h --data-binary @f', file)).body.toString()).toBe('f\r\nend\n');
  expect((await parseCurl('curl h --data-raw @f', file)).body.toString()).toBe('@f');
  expect((await parseCurl('curl h -d a -d b', file)).body.toString()).toBe('a&b');
});

test('unknown input is rejected, not guessed', async () => {
  for (const line of [
    'wget http://h/',
    'curl',
    "curl 'http://h",
    'curl -F a=b http://h/',
    'curl http://h/ -X',
  ]) {
    await expect(parseCurl(line, noFile), line).rejects.toThrow(CurlSyntaxError);
  }
});

test('a printed curl line says the same request when it is read again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.webQueryParameters(), async (body, query) => {
      const target = `/api/partner/v1/orders?${query}`;
      const printed = printCurl({
        url: `http://127.0.0.1:4010${target}`,
        method: 'POST',
        headers: { 'X-Service-Nonce': "n'1" },
        body,
      });
      const read = await parseCurl(printed ?? '', noFile);
      expect(`${read.path}?${read.query}`).toBe(target);
      expect(read.body.toString()).toBe(body);
      expect(read.headers.get('x-service-nonce')).toBe("n'1");
    }),
  );
  for (const target of ['/a/../b?c', '/a/%2E%2e/b', '/a#b', '/a//%zz/b%2fc?d=..']) {
    const printed = printCurl({
      url: `http://h${target}`,
      method: 'GET',
      headers: {},
      body: undefined,
    });
    const { path, query } = await parseCurl(printed ?? '', noFile);
    expect({ path, query }, printed).toEqual(splitTarget(target));
  }
  const bytes = { url: 'http://h/', method: 'POST', headers: {}, body: Buffer.from([0xff, 0]) };
  expect(printCurl(bytes)).toBeUndefined();
});

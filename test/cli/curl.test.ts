import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCurl, shellQuote } from '../../src/client/curl.ts';
import { anyText } from '../support/any-text.ts';
import { readCurlLine } from '../support/curl-line.ts';
import { shellWords } from '../support/shell-words.ts';

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
  fc.assert(
    fc.property(fc.array(anyText()), (words) => {
      expect(shellWords(words.map(shellQuote).join(' '))).toEqual(words);
    }),
  );
});

test('a printed curl line says the same request when it is read again', () => {
  fc.assert(
    fc.property(fc.json(), fc.array(fc.tuple(anyText(), anyText())), (body, query) => {
      const target = `/api/partner/v1/orders?${new URLSearchParams(query)}`;
      const request = { method: 'POST', headers: { 'X-Nonce': "n'1", 'X-Empty': '' }, body };
      const printed = formatCurl({ ...request, url: `http://127.0.0.1:4010${target}` });
      expect(readCurlLine(printed ?? '')).toEqual({ ...request, target });
    }),
  );
  const bytes = { url: 'http://h/', method: 'POST', headers: {}, body: Buffer.from([0xff, 0]) };
  expect(formatCurl(bytes)).toBeUndefined();
});

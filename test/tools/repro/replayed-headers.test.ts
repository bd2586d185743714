import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { REPLAYED_HEADERS } from '../../../src/tools/repro/replayed-headers.ts';

/** Modules that handle requests; the others are clients, or read a receiver's responses. */
const MODULES = ['api', 'control', 'dashboard', 'http', 'market', 'pages', 'reference', 'ui'];

/** Headers that are read but need not be in a file, and why. */
const NOT_REPLAYED = {
  authorization: 'the token of the control API: a replay needs none',
  'content-length': 'in a file if the body was rejected',
  'sec-fetch-dest': 'as sec-fetch-mode: whether a link leads into a frame of another page',
  'sec-fetch-mode':
    'tells a link from a script for a GET of the control API, which is not an input',
  'transfer-encoding': 'in a file if the body was rejected',
};

const READ = [
  /\bheader\(\s*'([\w-]+)'\s*,?\s*\)/g,
  /incoming\.headers\.(\w+)/g,
  /headers\['([\w-]+)'\]/g,
  /headers\.(?:get|has)\('([\w-]+)'\)/g,
  /requireHeader\(request, '([\w-]+)'\)/g,
];

const sources = MODULES.flatMap((module) =>
  fs
    .readdirSync(path.join('src', module), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => fs.readFileSync(path.join('src', module, file), 'utf8')),
);
const matches = (pattern: RegExp) => sources.flatMap((text) => [...text.matchAll(pattern)]);

test('a file has every request header that the source reads', () => {
  const read = new Set(
    READ.flatMap((pattern) => matches(pattern)).map(([, name = '']) => name.toLowerCase()),
  );
  if (matches(/\bgetCookie\(/g).length > 0) read.add('cookie');
  // In the file for people.
  read.add('user-agent');
  const known = [...REPLAYED_HEADERS, ...Object.keys(NOT_REPLAYED)];
  expect([...read].toSorted()).toEqual(known.toSorted());
});

test('only the signing headers are read by a variable name', () => {
  expect(matches(/\.header\(\s*[^\s')]/g).map(([found]) => found)).toEqual(['.header(n']);
});

import fs from 'node:fs';
import path from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { growthOf, MAX_GROWTH } from '../support/growth.ts';
import { RUN_PATTERNS } from './run-patterns.ts';

const SRC = path.join(import.meta.dirname, '../../src');
const FILES = fs
  .readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .sort();

/** These read only what the user types, or what sandlot itself writes. */
const TRUSTED = /^(?:cli\/|kernel\/(?:count|money)\.ts)/;

/** Expressions that are put together. Read a new one: each repetition must end where the next part begins. */
const CONSTRUCTED = [
  'kernel/printable.ts',
  'kernel/resource.ts',
  'market/inventory/lexicon.ts',
  'redaction/redact.ts',
];

const LENGTH = 2_000;
/** Quadratic time takes longer. */
const SURELY_LINEAR_MS = 1.5;

/** Returns the regular expression literals of a file. */
function literalsOf(file: string): RegExp[] {
  const found: RegExp[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (regex) found.push(new RegExp(regex.pattern, regex.flags));
    for (const each of Object.values(node)) visit(each);
  };
  const text = fs.readFileSync(path.join(SRC, file), 'utf8');
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  return found;
}

/** Returns usual patterns, and the literal characters of the expression itself. */
function runsFor({ source }: RegExp): string[] {
  const literals = source.replace(/\\[a-zA-Z]/g, ' ').match(/[\w":=@/.%<&;-]{1,20}/g) ?? [];
  return [...new Set([...RUN_PATTERNS, ...literals, literals.join('')])].filter(Boolean);
}

/** Returns a run for which an expression takes more than linear time. */
function slowRunOf(regex: RegExp): string | undefined {
  const all = new RegExp(regex.source, [...new Set(`${regex.flags}g`)].join(''));
  return runsFor(regex).find((run) =>
    [
      ['', '\u0001'],
      ['"', ''],
    ].some(([before, after]) => {
      const search = (size: number) => {
        `${before}${run.repeat(size / run.length)}${after}`.replace(all, '');
      };
      const begun = performance.now();
      search(LENGTH);
      if (performance.now() - begun < SURELY_LINEAR_MS) return false;
      return growthOf(search, LENGTH) > MAX_GROWTH;
    }),
  );
}

test('no regular expression that sees the text of others takes more than linear time for runs', () => {
  const seen = new Set<string>();
  const slow: string[] = [];
  for (const file of FILES) {
    if (TRUSTED.test(file)) continue;
    for (const regex of literalsOf(file)) {
      if (seen.has(String(regex))) continue;
      seen.add(String(regex));
      const run = slowRunOf(regex);
      if (run !== undefined) slow.push(`${file} ${regex} ${JSON.stringify(run)}`);
    }
  }
  expect(seen.size).toBeGreaterThan(150);
  expect(slow).toEqual([]);
});

test('the expressions that are put together are known', () => {
  const files = FILES.filter(
    (file) =>
      !TRUSTED.test(file) &&
      /new RegExp\(|\bRegExp\(/.test(fs.readFileSync(path.join(SRC, file), 'utf8')),
  );
  // A tool may be left out.
  expect(files).toEqual(CONSTRUCTED.filter((file) => fs.existsSync(path.join(SRC, file))));
});

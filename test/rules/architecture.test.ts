import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = path.join(import.meta.dirname, '../../src');

/** The ladder: an import goes to a lower rung or stays in its room. */
const RUNGS: Record<string, number> = {
  kernel: 0,
  'version.ts': 0,
  signing: 1,
  store: 2,
  client: 2,
  world: 3,
  events: 3,
  market: 4,
  requests: 4,
  faults: 4,
  webhooks: 5,
  schedule: 6,
  http: 6,
  api: 7,
  control: 7,
  pages: 7,
  dashboard: 8,
  openapi: 8,
  config: 8,
  reference: 9,
  'doors.ts': 10,
  'sandbox.ts': 11,
  'index.ts': 12,
  server: 12,
  cli: 13,
};

/** The first folder below `src`, or the file that lies there itself. */
function roomOf(file: string): string {
  return path.relative(SRC, file).split(path.sep)[0] ?? '';
}

/** Every import and re-export of a file that leads to another file of `src`. */
function importsOf(file: string): string[] {
  const text = fs.readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, target = '']) => path.resolve(path.dirname(file), target));
}

function filesOf(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.join(folder, name));
}

const FILES = filesOf(SRC);

test('every room has its rung', () => {
  const rooms = new Set(FILES.map(roomOf));
  expect([...rooms].filter((room) => RUNGS[room] === undefined)).toEqual([]);
});

test('an import goes to a lower rung or stays in its room', () => {
  const climbing: string[] = [];
  for (const file of FILES) {
    const from = roomOf(file);
    for (const target of importsOf(file)) {
      if (!target.startsWith(SRC + path.sep)) continue;
      const to = roomOf(target);
      if (to === from || (RUNGS[to] ?? 99) < (RUNGS[from] ?? -1)) continue;
      climbing.push(
        `${path.relative(SRC, file)} (${from}) imports ${path.relative(SRC, target)} (${to})`,
      );
    }
  }
  expect(climbing).toEqual([]);
});

describe('only the kernel', () => {
  /** What the machine gives, and the one place where it may be taken from. */
  const MACHINE: [what: string, pattern: RegExp, allowed: RegExp][] = [
    [
      'reads the real time',
      /\bDate\.now\(|\bnew Date\(\)|performance\.now\(/,
      /^kernel\/|^cli\/|^server\//,
    ],
    ['rolls dice', /\bMath\.random\(/, /^kernel\//],
    ['reads the environment', /\bprocess\.env\b/, /^kernel\/|^cli\/|^config\/|^server\//],
  ];

  test.each(MACHINE)('%s', (_what, pattern, allowed) => {
    const taking = FILES.filter((file) => pattern.test(fs.readFileSync(file, 'utf8')))
      .map((file) => path.relative(SRC, file).replaceAll(path.sep, '/'))
      .filter((name) => !allowed.test(name));
    expect(taking).toEqual([]);
  });
});

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = path.join(import.meta.dirname, '../../src');

/** The layer of each module, from the table in src/README.md. */
const LAYERS = new Map(
  [
    ...fs
      .readFileSync(path.join(SRC, 'README.md'), 'utf8')
      .matchAll(/^\| (\d+) \| `([^`]+?)\/?` \|/gm),
  ].map(([, layer, module = '']) => [module, Number(layer)]),
);

/** The module of a file: its first folder below `src`, or the file itself. */
function moduleOf(file: string): string {
  return path.relative(SRC, file).split(path.sep)[0] ?? '';
}

/** Every import and re-export of a file that leads to another file of `src`. */
function importsOf(file: string): string[] {
  const text = fs.readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, target = '']) => path.resolve(path.dirname(file), target));
}

const FILES = fs
  .readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => path.join(SRC, name));

test('the table of layers in src/README.md lists exactly the modules that exist', () => {
  expect([...LAYERS.keys()].sort()).toEqual([...new Set(FILES.map(moduleOf))].sort());
});

test('an import goes to a lower layer or stays in its module', () => {
  const upward: string[] = [];
  for (const file of FILES) {
    const from = moduleOf(file);
    for (const target of importsOf(file)) {
      if (!target.startsWith(SRC + path.sep)) continue;
      const to = moduleOf(target);
      if (to === from || (LAYERS.get(to) ?? 99) < (LAYERS.get(from) ?? -1)) continue;
      upward.push(
        `${path.relative(SRC, file)} (${from}) imports ${path.relative(SRC, target)} (${to})`,
      );
    }
  }
  expect(upward).toEqual([]);
});

/** Static imports and re-exports: a file that imports another one when it is used may be imported by it. */
function staticImportsOf(file: string): string[] {
  const found = fs
    .readFileSync(file, 'utf8')
    .matchAll(/^(?:import|export)\b[^;]*?from '(\.{1,2}\/[^']+)'/gm);
  return [...found].map(([, target = '']) => path.resolve(path.dirname(file), target));
}

test('no file imports itself through others, not even for types', () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, route: readonly string[]) => {
    const seen = route.indexOf(file);
    if (seen >= 0) {
      const cycle = [...route.slice(seen), file].map((each) => path.relative(SRC, each));
      cycles.push(cycle.join(' → '));
      return;
    }
    if (done.has(file) || !file.startsWith(SRC)) return;
    for (const target of staticImportsOf(file))
      if (FILES.includes(target)) visit(target, [...route, file]);
    done.add(file);
  };
  for (const file of FILES) visit(file, []);
  expect(cycles).toEqual([]);
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
    ['reads the environment', /\bprocess\.env\b/, /^kernel\/|^main\.ts|^config\/|^server\//],
  ];

  test.each(MACHINE)('%s', (_what, pattern, allowed) => {
    const taking = FILES.filter((file) => pattern.test(fs.readFileSync(file, 'utf8')))
      .map((file) => path.relative(SRC, file).replaceAll(path.sep, '/'))
      .filter((name) => !allowed.test(name));
    expect(taking).toEqual([]);
  });
});

test('a tool imports no other tool, and only tools/index.ts and tools/exports.ts name one', () => {
  const tools = path.join(SRC, 'tools') + path.sep;
  const toolOf = (file: string) => {
    const [name = '', rest] = path.relative(tools, file).split(path.sep);
    return file.startsWith(tools) && rest !== undefined ? name : undefined;
  };
  const named: string[] = [];
  for (const file of FILES) {
    for (const target of importsOf(file)) {
      const tool = toolOf(target);
      if (tool === undefined || tool === toolOf(file)) continue;
      const from = path.relative(SRC, file);
      if (![path.join('tools', 'index.ts'), path.join('tools', 'exports.ts')].includes(from))
        named.push(`${from} imports ${path.relative(SRC, target)}`);
    }
  }
  expect(named).toEqual([]);
});

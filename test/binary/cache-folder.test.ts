import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Assets } from '../../scripts/binary/assets.ts';
import { openCacheFolder } from '../../scripts/binary/cache-folder.ts';
import { emptyDirectory } from '../support/sandlot-process.ts';

const CONTENTS: Record<string, string> = {
  'bin/sandlot.cjs': 'run()',
  'dist/cli.cjs': 'cli()',
  'sqlite.node': '',
};
const assets: Assets = {
  digest: 'a'.repeat(64),
  names: Object.keys(CONTENTS),
  library: 'sqlite.node',
  read: (name) => Buffer.from(CONTENTS[name] ?? ''),
};
const STRANGER = 12_345;
const asRoot = process.getuid?.() === 0;

/** The cache of a user, and the system's folder for temporary files. */
function machine() {
  const home = emptyDirectory();
  const temporary = path.join(home, 'tmp');
  fs.mkdirSync(temporary);
  const env: Record<string, string | undefined> = { XDG_CACHE_HOME: path.join(home, 'cache') };
  const cache = path.join(home, 'cache/sandlot');
  /** Folders from which the system loads no code. */
  const noexec: string[] = [];
  const load = (file: string) => {
    if (noexec.some((folder) => file.startsWith(folder))) throw new Error(`${file}: not mapped`);
  };
  const open = () => openCacheFolder(assets, { env, temporary, load });
  return { home, temporary, env, cache, noexec, open };
}

function modeOf(file: string): number {
  return fs.statSync(file).mode & 0o777;
}

function expectUnpacked(folder: string): void {
  for (const [name, content] of Object.entries(CONTENTS)) {
    expect(fs.readFileSync(path.join(folder, name), 'utf8')).toBe(content);
    expect(modeOf(path.join(folder, name))).toBe(0o600);
    expect(modeOf(path.join(folder, path.dirname(name)))).toBe(0o700);
  }
  expect(modeOf(path.dirname(folder))).toBe(0o700);
}

test('the first use unpacks into a folder named after the digest, and the next one leaves it alone', () => {
  const { cache, open } = machine();
  const folder = open();
  expect(folder).toBe(path.join(cache, assets.digest));
  expectUnpacked(folder);
  const before = fs.statSync(path.join(folder, 'dist/cli.cjs')).ino;
  expect(open()).toBe(folder);
  expect(fs.statSync(path.join(folder, 'dist/cli.cjs')).ino).toBe(before);
  expect(fs.readdirSync(cache)).toEqual([assets.digest]);
});

test.each<[string, (file: string) => void]>([
  ['missing', (file) => fs.rmSync(file)],
  ['truncated', (file) => fs.writeFileSync(file, 'c')],
  [
    'a link',
    (file) => {
      fs.rmSync(file);
      fs.symlinkSync('/etc/passwd', file);
    },
  ],
])('a folder with a file that is %s is replaced', (_, damage) => {
  const { cache, open } = machine();
  const folder = open();
  damage(path.join(folder, 'dist/cli.cjs'));
  expect(open()).toBe(folder);
  expectUnpacked(folder);
  expect(fs.readdirSync(cache)).toEqual([assets.digest]);
});

test('a cache that others can enter is closed to them', () => {
  const { cache, open } = machine();
  fs.mkdirSync(cache, { recursive: true, mode: 0o777 });
  fs.chmodSync(cache, 0o777);
  expectUnpacked(open());
});

test.runIf(asRoot)('a cache of another user is not used, nor what that user planted', () => {
  const { cache, temporary, open } = machine();
  fs.mkdirSync(cache, { recursive: true });
  fs.chownSync(cache, STRANGER, STRANGER);
  const planted = path.join(temporary, 'sandlot-0');
  fs.mkdirSync(planted);
  fs.chownSync(planted, STRANGER, STRANGER);
  expect(open).toThrow(`no folder to unpack SQLite into: ${planted} belongs to another user; set `);
  expect(fs.readdirSync(cache)).toEqual([]);
  expect(fs.readdirSync(planted)).toEqual([]);
});

test('a link in place of the temporary folder is not followed', () => {
  const { home, temporary, env, open } = machine();
  fs.symlinkSync(home, path.join(temporary, `sandlot-${process.geteuid?.()}`));
  // A cache folder that is a file cannot be used.
  fs.writeFileSync(env.XDG_CACHE_HOME ?? '', '');
  expect(open).toThrow('is not a folder; set XDG_CACHE_HOME');
  expect(fs.readdirSync(home).sort()).toEqual(['cache', 'tmp']);
});

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FolderBases } from '../../../src/tools/repro/recording/base-storage.ts';
import { stateFolder } from '../../support/state-folder.ts';

const BYTES = Buffer.from('a database');

function basesIn(folder: string) {
  const dir = path.join(folder, 'default.bases');
  const errors: unknown[] = [];
  const open = () => new FolderBases(dir, (error) => errors.push(error));
  return { dir, errors, open, bases: open() };
}

test('a base can be read at once, and from its file when that is complete', async () => {
  const { dir, open, bases, errors } = basesIn(stateFolder());
  bases.put('a', BYTES);
  expect(bases.take('a')).toBe(BYTES);
  expect(fs.existsSync(path.join(dir, 'a'))).toBe(false);
  await bases.settled();
  expect(open().take('a')).toEqual(BYTES);
  expect(fs.readdirSync(dir)).toEqual(['a']);
  expect(fs.statSync(path.join(dir, 'a')).mode & 0o077).toBe(0);
  expect(errors).toEqual([]);
});

test('a base whose file is incomplete is not read, and the file is deleted with the next change', async () => {
  const { dir, bases } = basesIn(stateFolder());
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, 'a.new'), BYTES.subarray(0, 3));
  expect(bases.take('a')).toBeUndefined();
  bases.put('b', BYTES);
  bases.keepOnly(new Set(['b']));
  await bases.settled();
  expect(fs.readdirSync(dir)).toEqual(['b']);
});

test('a base that is deleted before it is stored leaves no file and no folder', async () => {
  const { dir, bases, errors } = basesIn(stateFolder());
  bases.put('a', BYTES);
  bases.keepOnly(new Set());
  expect(bases.take('a')).toBeUndefined();
  await bases.settled();
  expect(fs.existsSync(dir)).toBe(false);
  expect(errors).toEqual([]);
});

test('a base that cannot be stored is reported, and does not bring back a deleted state folder', async () => {
  const folder = stateFolder();
  const { bases, errors } = basesIn(path.join(folder, 'gone'));
  bases.put('a', BYTES);
  await bases.settled();
  expect(errors).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
  expect(bases.take('a')).toBeUndefined();
  expect(fs.readdirSync(folder)).toEqual([]);
});

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Bases } from '../../../src/tools/repro/recording/bases.ts';
import { stateFolder } from '../../support/state-folder.ts';

const BYTES = Buffer.from('a database');

function basesIn(folder: string) {
  const dir = path.join(folder, 'default.bases');
  return { dir, bases: new Bases(path.join(folder, 'default.db')) };
}

test('a base is a private file beside the log', () => {
  const folder = stateFolder();
  const { dir, bases } = basesIn(folder);
  bases.put('a', BYTES);
  expect(basesIn(folder).bases.take('a')).toEqual(BYTES);
  expect(fs.readdirSync(dir)).toEqual(['a']);
  expect(fs.statSync(path.join(dir, 'a')).mode & 0o077).toBe(0);
});

test('a base whose file is incomplete is not read, and the file is deleted with the next change', () => {
  const { dir, bases } = basesIn(stateFolder());
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, 'a.new'), BYTES.subarray(0, 3));
  expect(bases.take('a')).toBeUndefined();
  bases.put('b', BYTES);
  bases.keepOnly(new Set(['b']));
  expect(fs.readdirSync(dir)).toEqual(['b']);
});

test('without bases there is no folder', () => {
  const { dir, bases } = basesIn(stateFolder());
  bases.put('a', BYTES);
  bases.keepOnly(new Set());
  expect(bases.take('a')).toBeUndefined();
  expect(fs.existsSync(dir)).toBe(false);
});

test('a base that cannot be stored does not bring back a deleted state folder', () => {
  const folder = stateFolder();
  const { bases } = basesIn(path.join(folder, 'gone'));
  expect(() => bases.put('a', BYTES)).toThrow('ENOENT');
  expect(bases.take('a')).toBeUndefined();
  expect(fs.readdirSync(folder)).toEqual([]);
});

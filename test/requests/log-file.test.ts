import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openLog } from '../../src/requests/log-file.ts';
import { closeStore } from '../../src/store/open.ts';
import { stateFolder } from '../support/state-folder.ts';

test.each<[string, (file: string) => void]>([
  ['is not a database', (file) => fs.writeFileSync(file, 'hello')],
  [
    'is of another version',
    (file) => {
      const db = new Database(file);
      db.pragma('user_version = 999');
      db.close();
    },
  ],
])('a log that %s is set aside, and a new one is begun', (_what, spoil) => {
  const file = path.join(stateFolder(), 'requests.db');
  closeStore(openLog(file));
  spoil(file);
  const before = fs.readFileSync(file);
  const log = openLog(file);
  expect(log.client.prepare('SELECT count(*) FROM requests').pluck().get()).toBe(0);
  closeStore(log);
  expect(fs.readFileSync(`${file}.unreadable`).equals(before)).toBe(true);
});

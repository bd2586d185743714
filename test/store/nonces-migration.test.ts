import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder, worldFileIn } from '../support/state-folder.ts';

const ASKED = { method: 'GET', target: '/api/partner/v1/orders' };

test('a nonce that was used before nonces of a turn were one row stays used', async () => {
  const dataDir = stateFolder();
  const before = await sandbox({ dataDir });
  const sent = signPartnerRequest(before.url, before.credential, ASKED, Date.now());
  expect((await sendSigned(before.fetch, sent)).status).toBe(200);
  await before.close();
  asWrittenBefore(worldFileIn(dataDir));

  const again = await sandbox({ dataDir });
  const repeated = await sendSigned(again.fetch, sent);
  expect(await repeated.json()).toMatchObject({ error: { code: 'replay_detected' } });
});

/** Puts the nonces back into the table that had a row for each. */
function asWrittenBefore(file: string): void {
  const db = new Database(file);
  const uses = db.prepare('SELECT used_at, uses FROM nonces').all() as Row[];
  const migration = MIGRATIONS.findIndex((sql) => sql.includes('nonces_of_turns'));
  db.exec('DROP TABLE nonces');
  db.exec(`CREATE TABLE nonces (
    id INTEGER PRIMARY KEY, key_id TEXT NOT NULL, nonce TEXT NOT NULL, used_at INTEGER NOT NULL
  ) STRICT`);
  const insert = db.prepare('INSERT INTO nonces VALUES (NULL, ?, ?, ?)');
  for (const row of uses) {
    for (const use of row.uses.split('\n')) insert.run(...use.split(' '), row.used_at);
  }
  expect(db.prepare('SELECT count(*) FROM nonces').pluck().get()).toBe(1);
  db.exec('ALTER TABLE world DROP COLUMN id_series');
  db.pragma(`user_version = ${migration}`);
  db.close();
}

interface Row {
  used_at: number;
  uses: string;
}

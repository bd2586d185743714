import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { schemaHash } from '../../src/store/check-world.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, SCHEMA_HASHES } from '../../src/store/migrate.ts';

const SECOND = () =>
  'ALTER TABLE partners ADD COLUMN nickname TEXT; UPDATE partners SET nickname = name;';

function database(): Database.Database {
  const client = new Database(':memory:');
  onTestFinished(() => void client.close());
  return client;
}

function versionOf(client: Database.Database): unknown {
  return client.pragma('user_version', { simple: true });
}

/** A database of the first schema, with a partner. */
function first(): Database.Database {
  const client = database();
  migrate(client, undefined, MIGRATIONS.slice(0, 1));
  client.exec("INSERT INTO partners (partner_id, name, created_at) VALUES ('ptr_1', 'acme', 0)");
  return client;
}

test('an empty database gets the whole schema, without word of an upgrade', () => {
  const client = database();
  let upgrades = 0;
  migrate(client, () => upgrades++);
  expect(versionOf(client)).toBe(MIGRATIONS.length);
  expect(client.pragma('application_id', { simple: true })).toBe(APPLICATION_ID);
  expect(client.prepare('SELECT count(*) FROM partners').pluck().get()).toBe(0);
  expect(upgrades).toBe(0);
});

test('a later migration runs once, keeps the rows and announces the upgrade', () => {
  const client = first();
  let upgrades = 0;
  for (let n = 0; n < 2; n += 1)
    migrate(client, () => upgrades++, [...MIGRATIONS.slice(0, 1), SECOND]);
  expect(client.prepare('SELECT * FROM partners').all()).toMatchObject([
    { partner_id: 'ptr_1', name: 'acme', created_at: 0, nickname: 'acme' },
  ]);
  expect(versionOf(client)).toBe(2);
  expect(upgrades).toBe(1);
});

test('a migration that fails leaves the database as it was', () => {
  const client = first();
  const failing = [...MIGRATIONS.slice(0, 1), () => `${SECOND()} INSERT INTO nowhere VALUES (1);`];
  const before = client.prepare('SELECT * FROM partners').all();
  expect(() => migrate(client, undefined, failing)).toThrow('nowhere');
  expect(client.prepare('SELECT * FROM partners').all()).toEqual(before);
  expect(before).toHaveLength(1);
  expect(versionOf(client)).toBe(1);
});

test('each migration leaves the schema whose hash is listed', () => {
  const hashes = MIGRATIONS.map((_, at) => {
    const client = database();
    migrate(client, undefined, MIGRATIONS.slice(0, at + 1));
    return schemaHash(client);
  });
  expect(SCHEMA_HASHES).toEqual(hashes);
});

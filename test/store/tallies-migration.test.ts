import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { tallies } from '../../src/store/migrations/0009-tallies.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { APPLICATION_ID } from '../../src/store/refuse-unusable.ts';
import { ask } from '../support/calls.ts';
import { receiver } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder, worldFileIn } from '../support/state-folder.ts';
import { tellWholeStory } from '../support/whole-story.ts';

const REPORTS = [
  ...['/orders', '/transactions', '/settlements', '/payouts', '/analytics', '/links', '/brokerage'],
  ...['/me/clicks', '/me/sales', '/me/commissions', '/me/payouts', '/events'],
  ...['/orders?status=SETTLED', '/transactions?status=REFUNDED', '/transactions?status=DELIVERED'],
  '/analytics?from=2026-03-02T08:00:00Z&to=2026-03-02T09:30:00Z',
];

/** Everything in a world as a sandlot wrote it that had no tallies yet. */
function writtenBefore(folder: string): string {
  const older = stateFolder();
  fs.mkdirSync(path.dirname(worldFileIn(older)), { recursive: true });
  const db = new Database(worldFileIn(older));
  const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(tallies));
  for (const migration of before) db.exec(migration);
  db.pragma(`user_version = ${before.length}`);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma('foreign_keys = OFF');
  db.exec(`ATTACH '${worldFileIn(folder)}' AS newer`);
  const tables = db
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'nonces'",
    )
    .pluck()
    .all() as string[];
  for (const table of tables) {
    const columns = db.pragma(`main.table_info(${table})`) as { name: string }[];
    const names = columns.map(({ name }) => name).join(', ');
    db.exec(`INSERT INTO main.${table} (${names}) SELECT ${names} FROM newer.${table}`);
  }
  db.close();
  return older;
}

test('a state from before the tallies tells in every report what it told', async () => {
  const dataDir = stateFolder();
  const hook = await receiver();
  const at = await sandbox({ dataDir, rateLimits: false });
  await tellWholeStory(at, hook.url);
  const told = new Map<string, unknown>();
  for (const report of REPORTS) told.set(report, await (await ask(at, report)).json());
  const status = await at.control.get<{ inventory: object }>('/status');
  await at.close();
  const again = await sandbox({ dataDir: writtenBefore(dataDir), rateLimits: false });
  for (const [report, answer] of told) {
    expect(await (await ask(again, report)).json(), report).toEqual(answer);
  }
  expect((await again.control.get<{ inventory: object }>('/status')).inventory).toEqual(
    status.inventory,
  );
});

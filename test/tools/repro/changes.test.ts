import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../../src/client/control-client.ts';
import { sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import { parseConfig } from '../../../src/config/read-config.ts';
import { type InProcessSandbox, type Key, replayRepro } from '../../../src/index.ts';
import { startServer } from '../../../src/server/start-server.ts';
import { TOOLS } from '../../../src/tools/index.ts';
import { send } from '../../support/calls.ts';
import { mint } from '../../support/orders.ts';
import { loggedIds } from '../../support/request-log.ts';
import { sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';

/** Makes a quote and returns the ID of the request. */
async function quoted(
  at: InProcessSandbox,
  n: number,
  key?: Key,
  world = 'default',
): Promise<string> {
  const response = await send(at, '/quotes', { domain: (await seededListing(n)).domain }, key);
  expect(response.status).toBe(201);
  return newest(at.control, world);
}

/** The ID of the newest request. */
async function newest(control: ControlClient, world = 'default'): Promise<string> {
  const [id = ''] = await loggedIds({ control: control.in(world) }, { api: 'all', limit: 1 });
  return id;
}

async function expectReplays(at: InProcessSandbox, request: string, world = 'default') {
  const { bytes, summary } = await at.exportRepro({ request, world });
  expect(summary).toMatchObject({ verified: true, problem: null });
  expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced' });
}

test.each([{}, { sameIds: true }])('a target before and after a reset replays: %j', async (how) => {
  const at = await sandbox();
  const before = await quoted(at, 1);
  await at.reset(how);
  const after = await quoted(at, 2);
  await expectReplays(at, after);
  // Equal IDs: the newest one counts.
  await expectReplays(at, before);
});

test('a target before and after a restore of a snapshot of the recording replays', async () => {
  const at = await sandbox();
  const before = await quoted(at, 1);
  await at.control.post('/snapshots', { name: 's' });
  const between = await quoted(at, 2);
  await at.control.post('/snapshots/s/restore');
  const after = await quoted(at, 2);
  for (const request of [before, between, after]) await expectReplays(at, request);
});

test('a target before and after a restore of an earlier snapshot replays', async () => {
  const dataDir = stateFolder();
  const first = await sandbox({ dataDir });
  await quoted(first, 1);
  await first.control.post('/snapshots', { name: 's' });
  await first.close();
  const at = await sandbox({ dataDir });
  const before = await quoted(at, 2);
  await at.control.post('/snapshots/s/restore');
  const after = await quoted(at, 2);
  for (const request of [before, after]) await expectReplays(at, request);
});

test('a target before and after a fork replays in both worlds', async () => {
  const at = await sandbox();
  const before = await quoted(at, 1);
  await at.control.post('/worlds', { name: 'w2', fork: 'default' });
  const after = await quoted(at, 2);
  const inFork = await quoted(at, 2, await mint(at, { world: 'w2' }), 'w2');
  for (const request of [before, after]) await expectReplays(at, request);
  await expectReplays(at, inFork, 'w2');
});

test('a target before and after an import of a world replays in both worlds', async () => {
  const { at, key, importAs } = await exportedWorld();
  const before = await quoted(at, 1);
  await importAs('w2');
  const after = await quoted(at, 2);
  const inImported = await quoted(at, 2, key, 'w2');
  for (const request of [before, after]) await expectReplays(at, request);
  await expectReplays(at, inImported, 'w2');
});

test('an import under another name cannot be replayed elsewhere, and the message says why', async () => {
  const { at, key, importAs } = await exportedWorld();
  await importAs('w3');
  const request = await quoted(at, 2, key, 'w3');
  await expect(at.exportRepro({ request, world: 'w3' })).rejects.toThrow(
    'world: the tokens of w3 are made with a key that does not follow from its seed',
  );
});

/** A sandbox, the file of a world that is deleted since, and a key of that world. */
async function exportedWorld() {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w2' });
  const key = await mint(at, { world: 'w2' });
  const exported = await at.fetch('/_sandbox/worlds/w2/export');
  const body = new Uint8Array(await exported.arrayBuffer());
  await at.control.delete('/worlds/w2');
  const headers = { 'Content-Type': 'application/vnd.sqlite3' };
  const importAs = async (name: string) => {
    const target = `/_sandbox/worlds/import?name=${name}`;
    expect((await at.fetch(target, { method: 'POST', headers, body })).status).toBe(201);
  };
  return { at, key, importAs };
}

test('a target with a configuration file replays, before and after the reset that applies it', async () => {
  const config = parseConfig(
    JSON.stringify({
      port: 0,
      inventory: 20,
      data_dir: stateFolder(),
      credentials: [{ key_id: 'dmk_sandbox_shop', secret: 'dms_sandbox_shop' }],
    }),
    'my.json',
  );
  const server = await startServer(config, { onStop: () => {}, tools: TOOLS });
  onTestFinished(() => server.close());
  const control = new ControlClient({ baseUrl: server.url, fetch });
  const key = { key_id: 'dmk_sandbox_shop', secret: 'dms_sandbox_shop' };
  const read = async () => {
    const request = { method: 'GET', target: '/api/partner/v1/orders' };
    const response = await sendSigned(
      fetch,
      signPartnerRequest(server.url, key, request, Date.now()),
    );
    expect(response.status).toBe(200);
    return newest(control);
  };
  const exported = async (request: string) => {
    const response = await fetch(`${server.url}/_sandbox/repro/export`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ request }),
    });
    if (!response.ok) return response.json();
    return replayRepro(new Uint8Array(await response.arrayBuffer()));
  };
  const before = await read();
  await control.post('/reset');
  const after = await read();
  expect(await exported(before)).toMatchObject({ result: 'reproduced' });
  expect(await exported(after)).toMatchObject({ result: 'reproduced' });
});

test('a target that a kill cut off from the earlier requests is not recorded, and says so', async () => {
  const dataDir = stateFolder();
  const first = await sandbox({ dataDir });
  const [before, missing, after] = [
    await quoted(first, 1),
    await quoted(first, 2),
    await quoted(first, 3),
  ];
  await first.close();
  // As a kill leaves it: without an end, and without a request that had no response yet.
  const log = new Database(path.join(dataDir, 'requests', 'default.db'));
  log.exec(`UPDATE recordings SET head = json_set(head, '$.ended', NULL);
    DELETE FROM requests WHERE acts ->> '$.acts[0].n' = 2`);
  log.close();
  const at = await sandbox({ dataDir });
  await expectReplays(at, before);
  for (const request of [missing, after])
    await expect(at.exportRepro({ request })).rejects.toThrow(/not recorded|no longer in the log/);
});

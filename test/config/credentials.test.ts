import { expect, test } from 'vitest';
import { signPartnerRequest } from '../../src/client/partner-client.ts';
import { parseConfig } from '../../src/config/read-config.ts';
import { UsageError } from '../../src/kernel/errors.ts';
import { serverFor } from '../support/server.ts';
import { stateFolder } from '../support/state-folder.ts';

const KEY = { key_id: 'dmk_live_shop', secret: 'dms_live_shop' };

function config(credential: object) {
  const credentials = [{ ...KEY, ...credential }];
  return parseConfig(JSON.stringify({ port: 0, inventory: 5, credentials }), 'my.json');
}

/** Status of a call with the configured credential, of a server that is closed again. */
async function statusOf(dataDir: string, credential: object): Promise<number> {
  const server = await serverFor({ ...config(credential), data_dir: dataDir });
  const request = { method: 'GET', target: '/api/partner/v1/orders' };
  const { url, headers } = signPartnerRequest(server.url, KEY, request, Date.now());
  const { status } = await fetch(url, { headers });
  await server.close();
  return status;
}

test('a LIVE credential has production access if the configuration approves it', async () => {
  expect(await statusOf(stateFolder(), { environment: 'LIVE' })).toBe(403);
  expect(await statusOf(stateFolder(), { environment: 'LIVE', approved: true })).toBe(200);
});

test('approval is given and taken at the next start', async () => {
  const dataDir = stateFolder();
  const live = { environment: 'LIVE' };
  expect(await statusOf(dataDir, live)).toBe(403);
  expect(await statusOf(dataDir, { ...live, approved: true })).toBe(200);
  // What the file does not mention stays.
  expect(await statusOf(dataDir, live)).toBe(200);
  expect(await statusOf(dataDir, { ...live, approved: false })).toBe(403);
});

test('a credential that changes from SANDBOX to LIVE is not approved', async () => {
  const dataDir = stateFolder();
  expect(await statusOf(dataDir, { environment: 'SANDBOX' })).toBe(200);
  expect(await statusOf(dataDir, { environment: 'LIVE' })).toBe(403);
  expect(await statusOf(dataDir, { environment: 'SANDBOX' })).toBe(200);
});

test('approved is rejected for SANDBOX, which needs no approval, and a scope counts once', () => {
  expect(() => config({ approved: true })).toThrow(UsageError);
  expect(() => config({ approved: true })).toThrow(/credentials.*approved/s);
  expect(config({ scopes: ['buy', 'buy'] }).credentials).toMatchObject([{ scopes: ['buy'] }]);
});

test.each(['zażółć', 'outer '])('the token %j, which no header can hold, is rejected', (token) => {
  expect(() => parseConfig(`{ "control_token": "${token}" }`, 'my.json')).toThrow(/: must fit in/);
});

test('two credentials, webhooks or faults with one key are rejected before anything starts', () => {
  const parsing = (lists: object) => () => parseConfig(JSON.stringify(lists), 'my.json');
  expect(parsing({ credentials: [KEY, { ...KEY, secret: 'b' }] })).toThrow(/have the same key_id/);
  const fault = { effect: { status: 500 } };
  const faults = [fault, { ...fault, fault_id: 'flt_config_1' }];
  expect(parsing({ faults })).toThrow('my.json:1: faults: two have the same fault_id');
  const hook = { url: 'http://127.0.0.1:9', secret: KEY.secret };
  expect(parsing({ webhooks: [hook, hook] })).toThrow(/two have the same partner and environment/);
  const byId = { ...hook, partner: 'ptr_local' };
  expect(parsing({ webhooks: [hook, byId] })).toThrow(/two have the same partner and environment/);
  expect(parsing({ webhooks: [hook, { ...hook, environment: 'LIVE' }] })).not.toThrow();
});

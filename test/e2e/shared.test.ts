import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  type Key,
  type PartnerRequest,
  sendSigned,
  signPartnerRequest,
} from '../../src/client/partner-client.ts';
import { PAYING } from '../support/checkout.ts';
import { answered } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { missingPrograms, SharedDeployment } from '../support/shared-deployment.ts';

const V1 = '/api/partner/v1';
const WORLDS_EACH = 3;
const SALE = {
  domain: 'held-order.test',
  expected_price: 250_000,
  currency: 'USD',
  buyer: { email: 'ada@example.com' },
};

interface Team {
  world: string;
  process: string;
  key: Key;
}

const missing = missingPrograms();
if (missing.length > 0) process.stderr.write(`skipped: ${missing.join(', ')} not installed\n`);

// A missing program is a failure in CI; .ci/run installs them.
test.skipIf(missing.length > 0 && !process.env.CI)(
  '12 worlds in four processes behind HAProxy sell, survive a kill, move and are backed up',
  async () => {
    expect(missing).toEqual([]);
    const shared = new SharedDeployment();
    await shared.setUp();
    const teams = await createTeams(shared);
    shared.run('sh', ['routes.sh']);
    await shared.startProxy();
    const call = (team: Team, request: PartnerRequest) =>
      sendSigned(shared.fetch, signPartnerRequest(shared.url, team.key, request, Date.now()));
    const ordersOf = async (team: Team) =>
      (
        await answered<{ orders: { public_id: string }[] }>(
          await call(team, { method: 'GET', target: `${V1}/orders` }),
          200,
        )
      ).orders.map((order) => order.public_id);
    const sell = async (team: Team, idempotencyKey: string) => {
      const response = await call(team, {
        method: 'POST',
        target: `${V1}/orders`,
        body: SALE,
        headers: { 'Idempotency-Key': idempotencyKey },
      });
      return (await answered<{ public_id: string }>(response, 201)).public_id;
    };

    // A sale in each world; no ID exists twice.
    const sold = await Promise.all(teams.map((team) => sell(team, 'first')));
    expect(new Set(sold).size).toBe(teams.length);
    expect(await Promise.all(teams.map(ordersOf))).toEqual(sold.map((id) => [id]));
    const unknown = { key_id: 'dmk_unknown', secret: 'unknown-secret' };
    const rejected = await call(
      { world: '', process: '', key: unknown },
      {
        method: 'GET',
        target: `${V1}/orders`,
      },
    );
    expect(rejected.status).toBe(401);

    // Links lead to the process of their world.
    const first = (name: string) => teams.findIndex((team) => team.process === name);
    const links = new Map<string, string>();
    for (const name of shared.names) {
      const team = teams[first(name)] as Team;
      links.set(name, await expectPages(shared, (request) => call(team, request)));
    }

    // The control API: through the proxy with ?world= and the token of the process.
    const [other] = teams as [Team];
    const outside = `${shared.url}/_sandbox/clock?world=${other.world}`;
    expect((await shared.fetch(outside)).status).toBe(401);
    const token = fs.readFileSync(path.join(shared.folder, `${other.process}.token`), 'utf8');
    const withToken = { headers: { Authorization: `Bearer ${token}` } };
    expect((await shared.fetch(outside, withToken)).status).toBe(200);

    // A copy of a state folder that is in use.
    shared.run('sh', ['backup.sh', 'p2', 'backup']);

    // One process is killed: the others go on, and its requests wait until it is back.
    await shared.servers.get('p2')?.end('SIGKILL');
    const waiting = ordersOf(teams[first('p2')] as Team);
    expect(await ordersOf(teams[first('p1')] as Team)).toEqual([sold[first('p1')]]);
    await shared.start('p2');
    expect(await waiting).toEqual([sold[first('p2')]]);

    // One world moves from p2 to p3.
    const index = first('p2');
    const moved = teams[index] as Team;
    shared.run('sh', ['move.sh', moved.world, 'p2', 'p3']);
    expect(await ordersOf(moved)).toEqual([sold[index]]);
    expect(sold).not.toContain(await sell(moved, 'second'));
    expect((await shared.fetch(links.get('p2') ?? '')).status).toBe(200);
    await expect(shared.control('p2').get(`/worlds/${moved.world}`)).rejects.toThrow();
    expect(fs.existsSync(path.join(shared.folder, `${moved.world}.db`))).toBe(false);

    const backup = await sandbox({
      dataDir: path.join(shared.folder, 'backup'),
      defaultCredential: false,
    });
    const { orders } = await backup.control
      .in(moved.world)
      .get<{ orders: { public_id: string }[] }>('/orders');
    expect(orders.map((order) => order.public_id)).toEqual([sold[index]]);

    for (const team of teams) {
      const target = `${V1}/domains/search?q=coffee`;
      expect((await call(team, { method: 'GET', target })).status).toBe(200);
    }
  },
);

/** Creates three worlds in each process, each with a credential. */
async function createTeams(shared: SharedDeployment): Promise<Team[]> {
  const teams = shared.names.map(async (process, n) => {
    const control = shared.control(process);
    const created: Team[] = [];
    for (let i = 1; i <= WORLDS_EACH; i += 1) {
      const world = `team-${n * WORLDS_EACH + i}`;
      await control.post('/worlds', { name: world });
      created.push({ world, process, key: await control.in(world).post<Key>('/credentials') });
    }
    return created;
  });
  return (await Promise.all(teams)).flat();
}

/** Opens a checkout, pays it, and opens a referral link and a brokerage case. @returns the address of the receipt */
async function expectPages(
  { url, fetch }: SharedDeployment,
  call: (request: PartnerRequest) => Promise<Response>,
): Promise<string> {
  const post = async <T>(path: string, body: object) =>
    answered<T>(await call({ method: 'POST', target: V1 + path, body }), 201);
  const { checkout_url: checkout } = await post<{ checkout_url: string }>('/checkout-session', {
    domain: SALE.domain,
  });
  expect(checkout.startsWith(`${url}/checkout?pt=`)).toBe(true);
  const page = await fetch(checkout);
  expect(await page.text()).toContain(SALE.domain);
  const paid = await fetch(checkout, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: url },
    body: new URLSearchParams(PAYING).toString(),
  });
  expect(paid.status).toBe(303);
  const receipt = checkout.replace('/checkout?', '/checkout/receipt?');
  expect((await fetch(receipt)).status).toBe(200);

  const link = await post<{ url: string }>('/links', { kind: 'generic' });
  const followed = await fetch(link.url);
  expect(followed.status).toBe(302);
  const landing = await fetch(new URL(followed.headers.get('location') ?? '', url).href);
  expect(landing.status).toBe(200);

  const { progress_url: progress } = await post<{ progress_url: string }>('/brokerage', {
    domain: 'wanted-name.com',
    tier: 'managed',
    buyer_email: 'ada@example.com',
    budget_cents: 100_000,
  });
  expect(await (await fetch(progress)).text()).toContain('wanted-name.com');
  return receipt;
}

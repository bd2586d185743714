import fs from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { listAll } from '../../scripts/torture/server.ts';
import { ControlClient } from '../../src/client/control-client.ts';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import {
  emptyDirectory,
  type ServerProcess,
  startLimited,
  startProcess,
} from '../support/sandlot-process.ts';

const KEY = { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secret' };
const SMALL = ['--inventory', '50', '--no-rate-limits'];
/** No file grows beyond 768 KB: for the sandbox, as if the disk were full. */
const NO_ROOM = '-f 1536';

const posixTest = test.skipIf(process.platform === 'win32');

async function order({ url }: ServerProcess, key: string) {
  const request = {
    method: 'POST',
    target: '/api/partner/v1/orders',
    headers: { 'Idempotency-Key': key },
    body: {
      domain: 'held-order.test',
      expected_price: 250_000,
      currency: 'USD',
      buyer: { email: 'a@b.co' },
    },
  };
  const response = await sendSigned(fetch, signPartnerRequest(url, KEY, request, Date.now()));
  return { status: response.status, body: await response.text() };
}

async function orderIds({ url }: Pick<ServerProcess, 'url'>): Promise<string[]> {
  const control = new ControlClient({ baseUrl: url, fetch });
  const orders = await listAll<{ public_id: string }>(control, '/orders', 'orders');
  return orders.map(({ public_id }) => public_id).sort();
}

/**
 * Sells until the disk is full for good: what the write-ahead log takes is given back after the first failure.
 * Each failure also writes a line to stderr. Returns the ids of the orders that were acknowledged.
 */
async function sellUntilFull(server: ServerProcess): Promise<string[]> {
  const acknowledged: string[] = [];
  let failed = 0;
  for (let n = 0; n < 1_000; n += 1) {
    const { status, body } = await order(server, `k${n}`);
    if (status === 201) {
      acknowledged.push(JSON.parse(body).public_id);
      failed = 0;
      continue;
    }
    expect(status).toBe(500);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'internal_error' } });
    failed += 1;
    if (failed === 5) return acknowledged;
  }
  throw new Error('the disk never became full');
}

posixTest(
  'a full disk, and a log on it, do not end a server, and nothing acknowledged is lost',
  async () => {
    const cwd = emptyDirectory();
    const broken = fs.existsSync('/dev/full') ? fs.openSync('/dev/full', 'w') : undefined;
    if (broken !== undefined) onTestFinished(() => fs.closeSync(broken));
    const server = await startLimited(cwd, { ulimit: NO_ROOM, stderr: broken }, ...SMALL);
    server.child.stderr?.destroy();
    const acknowledged = await sellUntilFull(server);
    expect(acknowledged.length).toBeGreaterThan(2);
    expect(await orderIds(server)).toEqual(acknowledged.toSorted());
    await server.end('SIGKILL');

    const again = await startProcess(cwd, ...SMALL);
    expect(await orderIds(again)).toEqual(acknowledged.toSorted());
    expect((await order(again, 'k0')).body).toContain(acknowledged[0]);
    expect((await order(again, 'x')).status).toBe(201);
  },
);

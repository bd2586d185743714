import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import { command } from '../support/command-server.ts';
import { magic, orderBody } from '../support/orders.ts';
import { emptyDirectory, startProcess } from '../support/sandlot-process.ts';

const KEY = { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secret' };

test('a snapshot outlives a kill -9, and brings back what was sold before it', async () => {
  const cwd = emptyDirectory();
  const first = await startProcess(cwd, '--inventory', '300');
  const run = async (url: string, line: string) => {
    const args = [...line.split(' '), '--json', '--url', url];
    const { status, stdout, stderr } = await command(cwd, args);
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const sold = await sell(first.url, 'before');
  const saved = await run(first.url, 'snapshots save before-refund');
  await sell(first.url, 'after');
  await run(first.url, `orders refund ${sold.public_id}`);
  await run(first.url, 'clock advance 3d');
  await first.end('SIGKILL');
  // What a kill in the middle of the next save would leave.
  const folder = path.join(cwd, '.sandlot/snapshots/default');
  fs.writeFileSync(path.join(folder, 'half.db.new'), 'SQLite format 3');

  const second = await startProcess(cwd);
  expect(await run(second.url, 'snapshots list')).toMatchObject({
    snapshots: [saved],
    next_cursor: null,
  });
  await run(second.url, 'worlds create copy --fork before-refund');
  await run(second.url, 'snapshots restore before-refund');
  for (const world of ['default', 'copy']) {
    expect(await run(second.url, `orders list --world ${world}`)).toMatchObject({
      orders: [{ public_id: sold.public_id, status: 'MANUAL_REVIEW' }],
      next_cursor: null,
    });
  }
  // The same sale as before is still answered by the same order.
  expect(await sell(second.url, 'before')).toEqual(sold);
  await second.end('SIGTERM');
  expect(fs.readdirSync(path.join(cwd, '.sandlot/worlds')).sort()).toEqual([
    'copy.db',
    'default.db',
    'id-series',
  ]);

  const third = await startProcess(cwd);
  expect(await run(third.url, 'orders list')).toMatchObject({
    orders: [{ public_id: sold.public_id }],
  });
});

/** Records a sale of a domain that can be sold over and over, once per idempotency key. */
async function sell(url: string, idempotencyKey: string): Promise<{ public_id: string }> {
  const request = {
    method: 'POST',
    target: '/api/partner/v1/orders',
    body: orderBody(magic('held-order', 250_000)),
    headers: { 'Idempotency-Key': idempotencyKey },
  };
  const response = await sendSigned(fetch, signPartnerRequest(url, KEY, request, Date.now()));
  const text = await response.text();
  expect(response.status, text).toBe(201);
  return JSON.parse(text);
}

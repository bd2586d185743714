import { execFile, execFileSync } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { listenOnLoopback } from '../support/ports.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';

const SECRET = 'whsec_story';

test('openssl signs, curl sends, an independent receiver verifies: quote, order, transfer, settlement', async () => {
  const { url } = await sandbox({ port: 0, inventory: 2_000 });
  const receiver = await independentReceiver();
  const script = path.join(ROOT, 'test/e2e/sale.sh');
  const { stdout } = await promisify(execFile)('sh', [script, receiver.url, SECRET], {
    env: {
      ...process.env,
      SANDLOT_URL: url,
      SANDLOT_KEY_ID: 'dmk_sandbox_local',
      SANDLOT_SECRET: 'dms_sandbox_local_not_a_secret',
    },
  });

  expect(receiver.received.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'order.recorded EXTERNALLY_PAID',
    'order.transfer_started TRANSFER_IN_PROGRESS',
    'order.transfer_completed TRANSFER_COMPLETED',
    'order.settled SETTLED',
  ]);
  for (const { order, verified } of receiver.received) {
    expect({ order, verified }).toEqual({ order: stdout.trim(), verified: true });
  }
});

/** Knows nothing of sandlot: openssl says what the signature of a body is. */
async function independentReceiver() {
  const received: { type: string; order: string; status: string; verified: boolean }[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const digest = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET, '-r'], {
      input: body,
    });
    const { type, data } = JSON.parse(body.toString());
    received.push({
      type,
      order: data.order.public_id,
      status: data.order.status,
      verified: digest.toString().split(' ')[0] === request.headers['x-service-signature'],
    });
    response.end();
  });
  return { url: await listenOnLoopback(server), received };
}

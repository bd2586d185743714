import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DEFAULT_CREDENTIAL } from '../../src/market/defaults.ts';
import { freePorts } from '../support/ports.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';

const APP = path.join(ROOT, 'examples/compose/app/app.mjs');

test('the app of the Compose example sells a domain at its first and at its second run', async () => {
  const { url } = await sandbox({ port: 0, inventory: 2_000 });
  const [port] = await freePorts(1);
  const env = {
    ...process.env,
    SANDLOT_URL: url,
    SANDLOT_KEY_ID: DEFAULT_CREDENTIAL.keyId,
    SANDLOT_SECRET: DEFAULT_CREDENTIAL.secret,
    SANDLOT_CONTROL_TOKEN: 'a loopback sandbox has none',
    RECEIVER_URL: `http://127.0.0.1:${port}/webhooks`,
    WEBHOOK_SECRET: 'whsec_compose',
  };
  const orders = new Set<string>();
  for (let run = 0; run < 2; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [APP], { env });
    expect(stdout).toMatch(/^ord_\w+ TRANSFER_COMPLETED\n$/);
    orders.add(stdout);
  }
  expect(orders.size).toBe(2);
});

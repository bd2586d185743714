import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { replayRepro } from '../../../src/index.ts';
import { VERSION } from '../../../src/version.ts';
import { checkoutSale, completedOrder } from '../../support/money.ts';
import { magic, orderFor, requestQuote } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';

/** A file of each released version. UPDATE_GOLDEN=1 writes that of the current version, which is not released yet. */
const FOLDER = path.join(import.meta.dirname, 'golden');

test.runIf(process.env.UPDATE_GOLDEN)('write the file of this version', async () => {
  const at = await sandbox({ rateLimits: false, inventory: 50 });
  await at.control.put('/webhooks', { url: 'https://shop.example/', secret: 'whsec_of_the_shop' });
  await requestQuote(at, 'reserved.test');
  await orderFor(at, magic('auto-complete', 199_900));
  await at.control.post('/clock/advance', { by: '90m' });
  await completedOrder(at);
  await checkoutSale(at);
  await at.control.post('/settlements/run');
  const { bytes, summary } = await at.exportRepro({ last: 1 });
  expect(summary.problem).toBeNull();
  fs.mkdirSync(FOLDER, { recursive: true });
  fs.writeFileSync(path.join(FOLDER, `${VERSION}.repro.jsonl`), zlib.gunzipSync(bytes));
});

test.each(fs.globSync('*.jsonl', { cwd: FOLDER }))('%s replays on this version', async (name) => {
  const { result, divergence } = await replayRepro(fs.readFileSync(path.join(FOLDER, name)));
  expect({ result, divergence }).toEqual({ result: 'reproduced', divergence: [] });
});

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { replayRepro } from '../../../src/index.ts';
import { VERSION } from '../../../src/version.ts';
import { caseFor, checkoutSale, completedOrder } from '../../support/money.ts';
import { magic, orderFor, requestQuote } from '../../support/orders.ts';
import { register } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';

/** A file of each released version. UPDATE_GOLDEN=1 writes that of the current version, which is not released yet. */
const FOLDER = path.join(import.meta.dirname, 'golden');
const CURRENT = path.join(FOLDER, `${VERSION}.repro.jsonl`);

test.runIf(process.env.UPDATE_GOLDEN)('write the file of this version', async () => {
  const at = await sandbox({ rateLimits: false });
  await register(at, 'http://127.0.0.1:1/refuses');
  await requestQuote(at, 'reserved.test');
  await orderFor(at, magic('auto-complete', 199_900));
  await at.control.post('/clock/advance', { by: '90m' });
  await completedOrder(at);
  await checkoutSale(at);
  await caseFor(at, 'wanted.example');
  await at.control.post('/settlements/run');
  await at.idle();
  const { bytes, summary } = await at.exportRepro();
  expect(summary.problem).toBeNull();
  fs.mkdirSync(FOLDER, { recursive: true });
  const { gunzipSync } = await import('node:zlib');
  fs.writeFileSync(CURRENT, gunzipSync(bytes));
});

test.each(fs.readdirSync(FOLDER, { withFileTypes: true }).map(({ name }) => name))(
  '%s replays on this version (UPDATE_GOLDEN=1 writes that of this version)',
  async (name) => {
    const { result, divergence } = await replayRepro(fs.readFileSync(path.join(FOLDER, name)));
    expect({ result, divergence }).toEqual({ result: 'reproduced', divergence: [] });
  },
);

import fs from 'node:fs';
import path from 'node:path';
import { createSandbox } from '../../../src/index.ts';
import { lazilyAsync } from '../../../src/kernel/lazily.ts';
import { readRepro } from '../../../src/tools/repro/read-repro.ts';
import { commandLine } from '../../cli/command-line.ts';
import { type Order, orderBody, quoteFor, requestOrder } from '../../support/orders.ts';
import { answered } from '../../support/responses.ts';
import { INVENTORY } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';

const FROZEN_AT = '2026-03-02T09:00:00.000Z';

/** A file: webhook, two quotes, a sale that is transferred, a clock that moves, a rejected refund. And a command line. */
export async function soldFile() {
  const { bytes, ...sale } = await recorded();
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'a.repro.gz'), bytes);
  const repro = readRepro(bytes);
  /** The number of the n-th request whose target ends so. */
  const numberOf = (ending: string, n = 0) =>
    repro.requests.filter(({ target }) => target.endsWith(ending))[n]?.n ?? 0;
  const run = commandLine(undefined, { cwd });
  return { ...sale, repro, cwd, numberOf, run };
}

const recorded = lazilyAsync(async () => {
  const at = await createSandbox({ inventory: INVENTORY, port: false, frozenAt: FROZEN_AT });
  await at.control.post('/clock/freeze');
  await at.control.put('/webhooks', { url: 'http://127.0.0.1:9/hook', secret: 'a-long-secret-1' });
  const [sold, other] = [await seededListing(1), await seededListing(2)];
  const quote = await quoteFor(at, sold.domain);
  const open = await quoteFor(at, other.domain);
  const order: Order = await answered(
    await requestOrder(
      at,
      orderBody(sold, { quote_id: quote.quote_id, external_payment_ref: 'pay-1' }),
    ),
    201,
  );
  await at.control.post(`/orders/${order.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
  await at.control.post('/clock/advance', { by: '11m' });
  const target = '/api/partner/v1/refunds';
  const body = { public_id: 'ord_none', order: order.public_id };
  await at.call({ method: 'POST', target, body });
  const { bytes } = await at.exportRepro();
  await at.close();
  return { bytes, sold, other, quote, open, order };
});

import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import {
  differenceOf,
  OBJECT_TYPES,
  type ObjectChange,
} from '../../../src/tools/repro/world-objects.ts';
import { soldFile } from './sold-file.ts';

test('an order adds itself and its delivery, uses its quote and sells the listing', async () => {
  const { actOf, run, order, sold } = await soldFile();
  const n = actOf('/v1/orders');
  const changes = (await run(`repro show a.repro.gz --input ${n} --diff --json`)).json<
    ObjectChange[]
  >();
  const byType = Object.fromEntries(changes.map((each) => [each.type, each]));
  expect(Object.keys(byType).toSorted()).toEqual([
    ...['delivery', 'listing', 'order', 'quote', 'webhook'],
  ]);
  expect(byType.order).toMatchObject({
    id: order.public_id,
    change: 'added',
    fields: { status: [null, 'EXTERNALLY_PAID'], domain: [null, sold.domain] },
  });
  expect(byType.order?.fields).not.toHaveProperty('created_at');
  expect(byType.quote).toMatchObject({
    change: 'changed',
    fields: { status: ['live', 'used'], order_public_id: [null, order.public_id] },
  });
  expect(byType.delivery?.fields).toMatchObject({ event: [null, 'order.recorded'] });
  expect(byType.listing?.fields).toMatchObject({ status: ['listed', 'sold'] });
  const { code, stdout } = await run(`repro show a.repro.gz --input ${n} --diff`);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^\+ order +ord_\w+ +status EXTERNALLY_PAID, domain \S+, sale_price_cents/m,
  );
  expect(stdout).toMatch(/^~ quote +qt_\w+ +.*status live → used/m);
  expect(stdout).toMatch(/^\+ delivery +dlv_\w+ +status pending, event order.recorded/m);
});

test('a clock move and its stop change the clock, and what expires by it', async () => {
  const { run, repro, open, actOf } = await soldFile();
  const stop = repro.inputs.findLast(
    (each) => each.kind === 'act' && each.cause.type === 'clock.to',
  );
  for (const n of [stop?.kind === 'act' ? stop.n : 0, actOf('/clock/advance')]) {
    const changes = (await run(`repro show a.repro.gz --input ${n} --diff --json`)).json<
      ObjectChange[]
    >();
    expect(changes.map(({ type }) => type)).toContain('clock');
    expect(changes.find(({ type }) => type === 'quote')?.fields).toMatchObject({
      status: ['live', 'expired'],
    });
  }
  expect(open.quote_id).toBeTruthy();
});

test('the stops of a clock move do not read the inventory again', async () => {
  const { repro } = await soldFile();
  const move = requestsOf(repro.inputs).find(({ target }) => target.endsWith('/clock/advance'));
  if (!move) throw new Error('no clock move');
  const read = vi.spyOn(OBJECT_TYPES.listing, 'read');
  onTestFinished(() => read.mockRestore());
  await differenceOf(repro, move);
  // Before and after each act of the request itself.
  expect(read).toHaveBeenCalledTimes(2 * move.acts.length);
});

test('a rejected request and a read change nothing', async () => {
  const { actOf, run } = await soldFile();
  const { code, stdout } = await run(`repro show a.repro.gz --input ${actOf('/refunds')} --diff`);
  expect(code).toBe(0);
  expect(stdout).toContain('No change of what the control API shows.');
});

test('--diff without --input is wrong usage; a file that does not replay exits 1 with its first difference', async () => {
  const { run, repro, cwd, actOf } = await soldFile();
  expect(await run('repro show a.repro.gz --diff')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--diff: pass --input too'),
  });
  const [first] = requestsOf(repro.inputs).filter(({ target }) => target.endsWith('/quotes'));
  if (!first) throw new Error('no quote');
  first.response = { status: 200, headers: [], body: { text: '{}' } };
  fs.writeFileSync(path.join(cwd, 'b.repro.gz'), writeRepro(repro));
  for (const command of [
    `show b.repro.gz --input ${actOf('/v1/orders')} --diff`,
    'why b.repro.gz order.status',
    'minimize b.repro.gz',
  ]) {
    const { code, stdout, stderr } = await run(`repro ${command}`);
    expect({ command, code, stdout, stderr }).toMatchObject({
      ...{ command, code: 1, stdout: '' },
      stderr: expect.stringContaining(`it does not replay: #${actOf('/quotes')} differs in status`),
    });
  }
  expect(fs.readdirSync(cwd).toSorted()).toEqual(['a.repro.gz', 'b.repro.gz']);
});

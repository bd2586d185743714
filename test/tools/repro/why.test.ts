import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import type { ValueCause } from '../../../src/tools/repro/why.ts';
import { commandLine } from '../../cli/command-line.ts';
import { quoteFor } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { soldFile } from './sold-file.ts';

test('a field names the request that set it, with old and new value, as the target saw it', async () => {
  const { run, order, actOf } = await soldFile();
  const n = actOf('/advance');
  const { code, stdout } = await run('repro why a.repro.gz order.status');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(
      `^order ${order.public_id}  status\n +#${n} .*/advance .*EXTERNALLY_PAID → TRANSFER_COMPLETED\nTarget #\\d+ POST /api/partner/v1/refunds .* saw TRANSFER_COMPLETED\\. All changes: --all\n$`,
    ),
  );
  const all = (await run('repro why a.repro.gz order.status --all --json')).json<ValueCause>();
  expect(all).toMatchObject({
    ...{ path: 'order.status', id: order.public_id, value: 'TRANSFER_COMPLETED' },
    last: { n, cause: 'request', old: 'EXTERNALLY_PAID', new: 'TRANSFER_COMPLETED' },
    changes: [{ n: actOf('/v1/orders'), old: null, new: 'EXTERNALLY_PAID' }, { n }],
  });
  expect(all.last?.request_id).toMatch(/^req_/);
  const earlier = (
    await run(`repro why a.repro.gz order.status --at ${n} --json`)
  ).json<ValueCause>();
  expect(earlier).toMatchObject({ value: 'EXTERNALLY_PAID', last: { n: actOf('/v1/orders') } });
  expect(earlier).not.toHaveProperty('changes');
});

test('what the clock decides changes at the clock move; the base sets the rest', async () => {
  const { run, repro, sold, other } = await soldFile();
  const quotes = await run('repro why a.repro.gz quote.state');
  expect(quotes).toMatchObject({ code: 2 });
  expect(quotes.stderr).toContain('path: the target names no quote; pass quote[ID]: qt_');
  const ids = [...quotes.stderr.matchAll(/qt_\w+/g)].map(([id]) => id);
  const states = await Promise.all(
    ids.map(async (id) =>
      (await run(`repro why a.repro.gz quote[${id}].state --json`)).json<ValueCause>(),
    ),
  );
  const move = repro.inputs.findLast(
    (each) => each.kind === 'act' && each.cause.type === 'clock.to',
  );
  expect(states.find(({ value }) => value === 'expired')?.last).toMatchObject({
    ...{ n: move?.kind === 'act' && move.n, cause: 'clock.to', old: 'open', new: 'expired' },
  });
  const expired = states.find(({ value }) => value === 'expired')?.id;
  expect((await run(`repro why a.repro.gz quote[${expired}].state`)).stdout).toMatch(
    /^ +#\d+ .* POST \/_sandbox\/clock\/advance \{"by":"11m"\} +open → expired$/m,
  );
  expect(states.find(({ value }) => value === 'used')?.last).toMatchObject({ old: 'open' });
  const price = await run(`repro why a.repro.gz listing[${other.domain}].price_cents`);
  expect(price.stdout).toContain('  set by the base\n');
  expect(
    (await run(`repro why a.repro.gz listing[${sold.domain}].status --json`)).json<ValueCause>(),
  ).toMatchObject({ value: 'sold', last: { old: 'listed' } });
});

test('a value that changes by passing time names the inputs around it', async () => {
  const at = await sandbox();
  await at.control.post('/clock/resume');
  const { domain } = await seededListing(1);
  await quoteFor(at, domain);
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const repro = await readRepro((await at.exportRepro()).bytes);
  const later = repro.inputs.map((input) => {
    const isLater = (input.kind === 'act' ? input.n : input.acts[0]) === 3;
    if (!isLater) return input;
    const moved = input.at + 11 * 60_000;
    if (input.kind === 'act') return { ...input, at: moved, now: input.now + 11 * 60_000 };
    const { response: _changed, ...request } = input;
    return { ...request, at: moved };
  });
  const cwd = stateFolder();
  const file = writeRepro({ ...repro, inputs: later, end: { kind: 'end' } });
  fs.writeFileSync(path.join(cwd, 'a.repro.gz'), file);
  const run = commandLine(undefined, { cwd });
  const listed = await run('repro why a.repro.gz quote.state');
  const [id] = /qt_\w+/.exec(listed.stderr) ?? [];
  const { code, stdout } = await run(`repro why a.repro.gz quote[${id}].state`);
  expect(code).toBe(0);
  expect(stdout).toContain('  time passed between #2 and #3  open → expired\n');
});

test.each([
  ['partner API balance', 'balance.owed_cents', 0],
  ['credential', 'credential.scopes', 0],
  ['webhook', 'webhook.active', 0],
  ['delivery by list', 'delivery.status', 2],
  ['session', 'session.status', 2],
  ['case', 'case.status', 2],
  ['nested field', 'order.buyer.email', 0],
  ['item of a list', 'order.timeline.0.status', 0],
])('%s: repro why %s exits %i', async (_title, of, code) => {
  const { run } = await soldFile();
  const result = await run(`repro why a.repro.gz ${of}`);
  expect(result, result.stderr).toMatchObject({ code });
});

test.each([
  ['ordr.status', 2, 'unknown type ordr; nearest: order;'],
  ['order', 2, 'must be TYPE.FIELD or TYPE[ID].FIELD'],
  ['order.stat', 2, 'order has no field stat; nearest: status;'],
  ['order[ord_none].status', 2, 'unknown order ord_none; nearest: ord_'],
  [
    'order.status --at 9999',
    2,
    '--at: the file has no request or act 9999; the acts of the file are 1 to ',
  ],
  ['order[ORDER].status --at 1', 1, 'does not exist before #1: #'],
])('repro why %s exits %i', async (of, code, message) => {
  const { run, order } = await soldFile();
  const result = await run(`repro why a.repro.gz ${of.replace('ORDER', order.public_id)}`);
  expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
});

import { describe, expect, test } from 'vitest';
import type { Comparison } from '../../../src/control/comparisons.ts';
import type { InProcessSandbox } from '../../../src/index.ts';
import { commandLine } from '../../cli/command-line.ts';
import { mint, orderFor } from '../../support/orders.ts';
import { receiver, register } from '../../support/receiver.ts';
import { rejection } from '../../support/responses.ts';
import { sandbox } from '../../support/sandbox.ts';

const compare = ({ control }: InProcessSandbox, a: string, b: string) =>
  control.get<Comparison>(`/orders/${a}/diff`, { with: b });

const pathsOf = ({ differences }: Comparison) => differences.map(({ path }) => path);

/** An order whose first attempt gets a status, with later ones after `wait`. */
async function orderWith(at: InProcessSandbox, n: number, wait?: string): Promise<string> {
  const { public_id } = await orderFor(at, n);
  await at.idle();
  if (wait !== undefined) await at.control.post('/clock/advance', { by: wait });
  await at.idle();
  return public_id;
}

async function withReceiver(status = 200) {
  const at = await sandbox();
  const hook = await receiver(status);
  await register(at, hook.url);
  return { at, hook };
}

describe('two orders', () => {
  test('that went the same way at other times have no difference', async () => {
    const { at } = await withReceiver();
    const [a, b] = [await orderWith(at, 0, '3h'), await orderWith(at, 1, '1m')];
    for (const id of [a, b]) {
      await at.control.post(`/orders/${id}/advance`);
      await at.idle();
    }
    const found = await compare(at, a, b);
    expect(found).toMatchObject({ a, b, same: true, reason: null, differences: [] });
    const moved = found.volatile.find(
      ({ path }) => path === 'steps[move TRANSFER_IN_PROGRESS].time',
    );
    expect(moved).toMatchObject({ a: '3h 1m', b: '1m' });
  });

  test('of which one was retried differ in the outcome and in the attempts that only one has', async () => {
    const { at, hook } = await withReceiver();
    const fine = await orderWith(at, 0);
    hook.response = 503;
    const failed = await orderWith(at, 1, '5s');
    const found = await compare(at, fine, failed);
    expect(found.reason).toMatch(
      /^Both are EXTERNALLY_PAID\. attempt order\.recorded, attempt 1 of 8: 200 in \d+ ms in A, 503 in \d+ ms in B\.$/,
    );
    expect(found.differences).toContainEqual({
      path: 'webhooks[attempt order.recorded, attempt 2 of 8]',
      a: null,
      b: expect.stringMatching(/^after 5s, 503 in \d+ ms, Only 200 counts/),
    });
    expect(await compare(at, failed, fine)).toMatchObject({ same: false });
  });

  test('in other states differ in the moves of one', async () => {
    const at = await sandbox();
    const [a, b] = [await orderWith(at, 0), await orderWith(at, 1)];
    await at.control.post(`/orders/${a}/advance`, { action: 'hold', note: 'odd' });
    const found = await compare(at, a, b);
    expect(found.reason).toBe(
      'A is MANUAL_REVIEW, B is EXTERNALLY_PAID. Only A has the step action Move the order: hold.',
    );
    expect(pathsOf(found)).toEqual([
      'status',
      'waits_for',
      'steps[action Move the order: hold]',
      'steps[move MANUAL_REVIEW]',
    ]);
  });

  test('with the same moves in another order differ in that order', async () => {
    const at = await sandbox();
    const [a, b] = [await orderWith(at, 0), await orderWith(at, 1)];
    const act = (id: string, action: string) =>
      at.control.post(`/orders/${id}/advance`, { action });
    const read = (id: string) => at.call({ method: 'GET', target: `/api/partner/v1/orders/${id}` });
    await act(a, 'hold');
    await read(a);
    await read(b);
    await act(b, 'hold');
    const { differences } = await compare(at, a, b);
    expect(differences).toMatchObject([
      { path: 'steps', a: expect.arrayContaining(['move MANUAL_REVIEW']) },
      { path: 'steps[request GET /orders/{public_id}].detail' },
    ]);
  });
});

test.each([
  ['req_0000003w7r0hd5tn', 400, 'with: req_0000003w7r0hd5tn is not the id of an order'],
  ['ord_0000003w7r0hd5tn', 404, 'with: order ord_0000003w7r0hd5tn not found in world default'],
])('comparing with %s is rejected with %i', async (id, status, message) => {
  const at = await sandbox();
  const own = await orderWith(at, 0);
  const found = await rejection(await at.fetch(`/_sandbox/orders/${own}/diff?with=${id}`));
  expect(found.status).toBe(status);
  expect(found.message).toContain(message);
  const other = await rejection(await at.fetch(`/_sandbox/orders/${id}/diff?with=${own}`));
  expect(other.status).toBe(status);
});

test('an order of another world is not found, with the name of that world', async () => {
  const at = await sandbox();
  const own = await orderWith(at, 0);
  await at.control.post('/worlds', { name: 'w2' });
  const { public_id } = await orderFor(at, 0, await mint(at, { world: 'w2' }));
  await expect(compare(at, own, public_id)).rejects.toThrow(
    `with: order ${public_id} not found in world default; world w2 has it`,
  );
});

test('orders diff exits with 0 for equal stories, 1 for others, and 2 for the id of something else', async () => {
  const at = await sandbox();
  const run = commandLine(at);
  const [a, b] = [await orderWith(at, 0), await orderWith(at, 1)];
  const same = await run(`orders diff ${a} ${b}`);
  expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('no difference')]);
  await at.control.post(`/orders/${b}/advance`);
  const other = await run(`orders diff ${a} ${b}`);
  expect(other.code).toBe(1);
  expect(other.stdout).toContain('status\n- EXTERNALLY_PAID\n+ TRANSFER_IN_PROGRESS\n');
  expect(other.stdout).toMatch(/\n\+ move TRANSFER_IN_PROGRESS, after \d+m?s\n/);
  expect(other.stdout).toMatch(/\ndiffer as always: public_id, domain(, time)?\n$/);
  const json = await run(`orders diff ${a} ${b} --json`);
  expect([json.code, json.json<Comparison>()]).toMatchObject([1, { a, b, same: false }]);
  expect((await run(`orders diff ${a} evt_0000003w7r0hd5tn`)).code).toBe(2);
  expect((await run(`orders diff ${a} ord_0000003w7r0hd5tn`)).code).toBe(1);
});

test('the page of an order shows both stories, and what differs', async () => {
  const at = await sandbox();
  const [a, b] = [await orderWith(at, 0), await orderWith(at, 1)];
  await at.control.post(`/orders/${b}/advance`);
  const page = await (await at.fetch(`/_sandbox/dashboard/orders/${a}?with=${b}`)).text();
  for (const text of ['A is EXTERNALLY_PAID', 'Story A', 'Story B', `/dashboard/orders/${b}`]) {
    expect(page.includes(text), text).toBe(true);
  }
  const unknown = await at.fetch(`/_sandbox/dashboard/orders/${a}?with=ord_none`);
  expect(unknown.status).toBe(404);
});

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import type { OrderStory, OrderStoryStep } from '../../../src/tools/story/order-story.ts';
import { commandLine } from '../../cli/command-line.ts';
import { ask } from '../../support/calls.ts';
import {
  magic,
  mint,
  mintIn,
  mintLive,
  orderBody,
  orderFor,
  quoteFor,
  requestOrder,
  requestQuote,
  withOrder,
} from '../../support/orders.ts';
import { HELD, onlyDelivery, RESET, withAttempt, withReceiver } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { ROOT } from '../../support/sandlot-process.ts';
import { seededListing } from '../../support/seeded-listings.ts';

function storyOf({ control }: Pick<InProcessSandbox, 'control'>, id: string): Promise<OrderStory> {
  return control.get<OrderStory>(`/orders/${id}/story`);
}

/** A step in one line: `09:00:05 attempt order.recorded, attempt 2 of 8 → 503`. */
function lineOf({ at, kind, text, response }: OrderStoryStep): string {
  const result = response === null ? '' : ` → ${response.replace(/ in \d+ ms$/, '')}`;
  return `${at.slice(11, 19)} ${kind} ${text}${result}`;
}

const lines = ({ steps }: OrderStory) => steps.map(lineOf);

function advance({ control }: InProcessSandbox, id: string, body: object = {}): Promise<object> {
  return control.post(`/orders/${id}/advance`, body);
}

const advanceClock = ({ control }: InProcessSandbox, by: string) =>
  control.post('/clock/advance', { by });

async function idOf(response: Response): Promise<string> {
  return ((await response.json()) as { public_id: string }).public_id;
}

/** A sale whose response is lost, and which is retried under the same key and under another one. */
async function lostSale(at: InProcessSandbox) {
  const { quote_id } = await quoteFor(at, 'lost-response.test');
  const sale = { quote_id, external_payment_ref: 'pay-1' };
  const call = { idempotencyKey: 'sale-1' };
  await requestOrder(at, { ...sale, buyer: { email: 'no-address' } }, call);
  await requestOrder(at, sale, call).catch(() => 'lost');
  const replay = await requestOrder(at, sale, call);
  await requestOrder(at, sale, { idempotencyKey: 'sale-2' });
  await requestOrder(at, { ...sale, external_payment_ref: 'pay-2' }, call);
  return idOf(replay);
}

test('a sale whose response was lost shows the quote, each attempt, the replay and the conflicts', async () => {
  const at = await sandbox();
  const id = await lostSale(at);
  const story = await storyOf(at, id);
  expect(lines(story)).toEqual([
    '09:00:00 request POST /quotes → 201',
    '09:00:00 request POST /orders → 400 validation_error',
    '09:00:00 request POST /orders → no response',
    '09:00:00 move EXTERNALLY_PAID',
    '09:00:00 event order.recorded',
    '09:00:00 request POST /orders → 201',
    '09:00:00 request POST /orders → 409 conflict',
    '09:00:00 request POST /orders → 409 conflict',
  ]);
  expect(story.steps.map(({ detail }) => detail)).toEqual([
    'Quotes $1,399.00 until 09:10:00.',
    'buyer.email: must be an email address',
    'Records the order. The connection closed before the response, so the client does not know.',
    null,
    'Not sent: no webhook was registered.',
    'Replays the stored response of this Idempotency-Key. Nothing changes.',
    `quote_id: already used by order ${id}`,
    'Idempotency-Key: already used with a different body',
  ]);
  expect(story).toMatchObject({ public_id: id, status: 'EXTERNALLY_PAID' });
  for (const { href, request_id } of story.steps) {
    if (request_id) expect(href).toBe(`/_sandbox/dashboard/requests/${request_id}`);
    expect((await at.fetch(`${at.url}${href}`)).status, String(href)).toBe(200);
  }
});

test('a sale that a fault cut off before it was handled says that nothing changed', async () => {
  const at = await sandbox();
  await at.control.post('/faults', { effect: { drop: 'before' }, times: 1 });
  const call = { idempotencyKey: 'sale-1' };
  const sale = orderBody(await seededListing(0));
  await requestOrder(at, sale, call).catch(() => 'closed');
  const id = await idOf(await requestOrder(at, sale, call));
  const { steps } = await storyOf(at, id);
  expect(steps.slice(0, 2).map((step) => [lineOf(step), step.detail])).toEqual([
    [
      '09:00:00 request POST /orders → no response',
      'The connection closed before the request was handled. Nothing changes.',
    ],
    ['09:00:00 request POST /orders → 201', 'Records the order.'],
  ]);
});

test('each attempt says what came back, and the newest when it is retried', async () => {
  const { at, hook, order } = await withAttempt(503);
  hook.response = RESET;
  await advanceClock(at, '5s');
  hook.response = 200;
  await advance(at, order.public_id);
  await at.idle();
  const story = await storyOf(at, order.public_id);
  expect(lines(story)).toEqual([
    '09:00:00 request POST /orders → 201',
    '09:00:00 move EXTERNALLY_PAID',
    '09:00:00 event order.recorded',
    '09:00:00 attempt order.recorded, attempt 1 of 8 → 503',
    '09:00:00 clock Advance the clock by 5s',
    '09:00:05 attempt order.recorded, attempt 2 of 8 → connection reset',
    '09:00:05 action Move the order one step',
    '09:00:05 move TRANSFER_IN_PROGRESS',
    '09:00:05 event order.transfer_started',
    '09:00:05 attempt order.transfer_started, attempt 1 of 8 → 200',
  ]);
  const attempts = story.steps.filter(({ kind }) => kind === 'attempt');
  expect(attempts.map(({ after, detail }) => [after, detail])).toEqual([
    [null, 'Only 200 counts as delivered.'],
    ['5 seconds later', 'Next attempt at 09:00:35.'],
    [null, null],
  ]);
  expect(story.receiver_url).toBe(hook.url);
  const body = { url: `${hook.url}new`, secret: 'whsec' };
  await at.call({ method: 'PUT', target: '/api/partner/webhooks', body });
  await at.control.post(`/events/${story.steps[2]?.event_id}/resend`);
  expect((await storyOf(at, order.public_id)).receiver_url).toBe(`${hook.url}new`);
});

test('the last attempt of the schedule, of a removed webhook and in a fork say that nothing follows', async () => {
  const { at, hook } = await withReceiver(500);
  const given = await orderFor(at, 0);
  await advanceClock(at, '12h');
  const removed = await orderFor(at, 1);
  await at.idle();
  await at.control.post('/worlds', { name: 'fork', fork: 'default' });
  await at.control.delete('/webhooks', { url: hook.url });
  const expectLast = async (id: string, detail: RegExp, control = at.control) =>
    expect((await storyOf({ control }, id)).steps.at(-1)?.detail).toMatch(detail);
  await expectLast(given.public_id, /Given up after 8 attempts\.$/);
  for (const control of [at.control, at.control.in('fork')])
    await expectLast(removed.public_id, /removed, or this world is a fork\.$/, control);
});

test('moves, events and attempts of one frozen moment follow the request that caused them', async () => {
  const { at, order } = await withAttempt();
  const { public_id: id } = order;
  await advance(at, id, { action: 'hold', note: 'odd' });
  await advance(at, id, { to: 'TRANSFER_COMPLETED' });
  await at.idle();
  await at.control.post('/settlements/run');
  await at.idle();
  await advance(at, id, { to: { toString: 1 } }).catch(() => 'rejected');
  expect(lines(await storyOf(at, id)).map((line) => line.slice(9))).toEqual([
    'request POST /orders → 201',
    'move EXTERNALLY_PAID',
    'event order.recorded',
    'attempt order.recorded, attempt 1 of 8 → 200',
    'action Move the order: hold',
    'move MANUAL_REVIEW',
    'action Move the order to TRANSFER_COMPLETED',
    'move EXTERNALLY_PAID',
    'event order.manual_review_cleared',
    'move TRANSFER_IN_PROGRESS',
    'event order.transfer_started',
    'move TRANSFER_COMPLETED',
    'event order.transfer_completed',
    'attempt order.manual_review_cleared, attempt 1 of 8 → 200',
    'attempt order.transfer_started, attempt 1 of 8 → 200',
    'attempt order.transfer_completed, attempt 1 of 8 → 200',
    'action Run the settlement',
    'move SETTLED',
    'event order.settled',
    'attempt order.settled, attempt 1 of 8 → 200',
    'action Move the order one step → 400 validation_error',
  ]);
});

test('retries by hand before an attempt, while it is sent, two at once and after the last count, and repeats by a fault do not', async () => {
  const { at, hook } = await withReceiver(HELD);
  await at.control.post('/faults', { webhook: { delay_ms: 600_000 }, times: 1 });
  const { public_id: id } = await orderFor(at, magic('held-order', 250_000));
  await at.idle();
  const { delivery_id } = await onlyDelivery(at);
  const retry = () => at.control.post(`/deliveries/${delivery_id}/retry`);
  await retry();
  await hook.came(1);
  await retry();
  hook.response = 503;
  hook.release(503);
  await at.idle();
  await Promise.all([retry(), retry()]);
  await at.idle();
  await advanceClock(at, '12h');
  await at.control.post('/faults', { webhook: { duplicate: true }, times: 1 });
  await retry();
  await at.idle();
  const { steps } = await storyOf(at, id);
  expect(steps.filter(({ kind }) => kind === 'attempt').map(({ text }) => text)).toEqual([
    ...[1, 2, 3].map((n) => `order.recorded, attempt ${n} of 8, retried by hand`),
    ...[4, 5, 6, 7, 8].map((n) => `order.recorded, attempt ${n} of 8`),
    'order.recorded, attempt 9, retried by hand',
    'order.recorded, attempt 9, retried by hand',
  ]);
  expect(steps.at(-1)?.detail).toMatch(/^A fault sent it again.* Given up after 9 attempts\.$/);
});

test.each(['resume', 'freeze'])('after %s, causes come first; repeats say why', async (action) => {
  const { at, hook } = await withReceiver(503);
  await at.control.post(`/clock/${action}`);
  await at.control.post('/faults', { webhook: { duplicate: true }, times: 1 });
  const { public_id: id } = await orderFor(at, magic('held-order', 250_000));
  await at.idle();
  const sent = (await storyOf(at, id)).steps.at(-1);
  hook.response = 200;
  if (action === 'resume') await advanceClock(at, '1s');
  await at.control.post(`/deliveries/${sent?.delivery_id}/retry`);
  await at.idle();
  await at.control.post(`/events/${sent?.event_id}/resend`);
  await at.idle();
  const { steps } = await storyOf(at, id);
  expect(steps.map((step) => [lineOf(step).slice(9), step.detail])).toEqual([
    ['request POST /orders → 201', 'Records the order.'],
    ['move EXTERNALLY_PAID', null],
    ['event order.recorded', null],
    ['move MANUAL_REVIEW', 'Note: held by the magic domain held-order.test'],
    ['attempt order.recorded, attempt 1 of 8 → 503', 'Only 200 counts as delivered.'],
    [
      'attempt order.recorded, attempt 1 of 8 → 503',
      'A fault sent it again. Only 200 counts as delivered.',
    ],
    ...(action === 'resume' ? [['clock Advance the clock by 1s', null]] : []),
    ['action Retry the delivery now', null],
    ['attempt order.recorded, attempt 2 of 8, retried by hand → 200', null],
    ['action Send the event again', null],
    ['attempt order.recorded, attempt 1 of 8 → 200', null],
  ]);
});

test('60 reads in a row are one step, and one that a gateway rejects is another', async () => {
  const at = await sandbox({ rateLimits: false });
  const { public_id: id } = await orderFor(at);
  for (let n = 0; n < 60; n += 1) await ask(at, `/orders/${id}`);
  await at.control.post('/faults', { effect: { gateway: 502 } });
  await ask(at, `/orders/${id}`);
  const { steps } = await storyOf(at, id);
  expect(steps.slice(3).map(lineOf)).toEqual([
    '09:00:00 request GET /orders/{public_id}, 60 times → 200',
    '09:00:00 request GET /orders/{public_id} → 502',
  ]);
  const details = steps.slice(3).map(({ detail }) => detail);
  expect(details).toEqual(['Reads the order: EXTERNALLY_PAID.', null]);
});

test('a request that the log no longer has is said to be missing', async () => {
  const { at, public_id: id } = await withOrder();
  await advance(at, id);
  await at.control.delete('/requests');
  await advance(at, id);
  const story = await storyOf(at, id);
  expect(story.steps.map((step) => [lineOf(step), step.detail])).toEqual([
    ['09:00:00 move EXTERNALLY_PAID', 'Its request is not in the log.'],
    ['09:00:00 event order.recorded', 'Not sent: no webhook was registered.'],
    ['09:00:00 move TRANSFER_IN_PROGRESS', 'Its request is not in the log.'],
    ['09:00:00 event order.transfer_started', 'Not sent: no webhook was registered.'],
    ['09:00:00 action Move the order one step', null],
    ['09:00:00 move TRANSFER_COMPLETED', null],
    ['09:00:00 event order.transfer_completed', 'Not sent: no webhook was registered.'],
  ]);
});

async function requestsOf(at: InProcessSandbox, id: string): Promise<string[]> {
  return lines(await storyOf(at, id)).filter((line) => line.includes('request'));
}

describe('attempts at the same domain', () => {
  test('rejected sales without a quote are part of the story, and those of another order, partner or environment are not', async () => {
    const at = await sandbox();
    const held = magic('held-order', 250_000);
    const refuse = (price: number, key = at.credential) =>
      requestOrder(at, orderBody({ ...held, price_cents: price }), { key });
    await refuse(1);
    const first = await orderFor(at, held);
    const live = await mintLive(at);
    await refuse(2, live);
    await at.control.post('/inventory', { ...held, environment: 'LIVE' });
    await orderFor(at, held, live);
    await refuse(2);
    await refuse(3, await mint(at, { partner: 'other' }));
    const second = await orderFor(at, held);
    const rejected = '09:00:00 request POST /orders → 422 price_mismatch';
    const recorded = '09:00:00 request POST /orders → 201';
    expect(await requestsOf(at, first.public_id)).toEqual([rejected, recorded, rejected]);
    expect(await requestsOf(at, second.public_id)).toEqual([rejected, recorded]);
  });

  test('rejected quotes, orders by another quote, unsigned orders and rejected reads are part of the story', async () => {
    const at = await sandbox();
    const listing = await seededListing();
    const { domain } = listing;
    const byQuote = async (name: string) => {
      const { quote_id } = await quoteFor(at, name);
      return { quote_id, external_payment_ref: 'pay-1' };
    };
    const sales = [await byQuote(domain), await byQuote((await seededListing(1)).domain)];
    await advanceClock(at, '11m');
    for (const sale of sales) await requestOrder(at, sale);
    const body = JSON.stringify(orderBody(listing));
    await at.fetch('/api/partner/v1/orders', { method: 'POST', body });
    const id = await idOf(await requestOrder(at, await byQuote(domain)));
    const rival = await mint(at, { partner: 'other' });
    await requestQuote(at, domain, rival);
    await requestQuote(at, `${domain}.`);
    for (const key of [rival, { ...at.credential, secret: 'wrong' }]) {
      await ask(at, `/orders/${id}`, key);
    }
    expect(await requestsOf(at, id)).toEqual([
      '09:11:00 request POST /orders → 422 quote_expired',
      '09:11:00 request POST /orders → 401 missing_credentials',
      '09:11:00 request POST /quotes → 201',
      '09:11:00 request POST /orders → 201',
      '09:11:00 request POST /quotes → 404 not_found',
      '09:11:00 request GET /orders/{public_id}, by another partner → 404 not_found',
      `09:11:00 request GET /orders/${id} → 401 invalid_signature`,
    ]);
  });

  test('requests about other orders leave no trace', async () => {
    const { at, public_id: id } = await withOrder(0);
    await advance(at, (await orderFor(at, 1)).public_id);
    await requestOrder(at, orderBody(await seededListing(1)));
    expect(lines(await storyOf(at, id))).toHaveLength(3);
  });
});

test('an order that moves by itself says so', async () => {
  const { at, public_id: id } = await withOrder(magic('auto-complete', 199_900));
  await advanceClock(at, '1s');
  const { steps } = await storyOf(at, id);
  expect(steps.slice(3).map((step) => [lineOf(step), step.detail])).toEqual([
    ['09:00:00 clock Advance the clock by 1s', null],
    ['09:00:01 move TRANSFER_IN_PROGRESS', 'auto-complete.test moves by itself.'],
    ['09:00:01 event order.transfer_started', 'Not sent: no webhook was registered.'],
  ]);
  await at.control.post(`/orders/${id}/advance`, { action: 'refund' });
  await at.control.delete('/requests');
  const moves = (await storyOf(at, id)).steps.filter(({ kind }) => kind === 'move');
  expect(moves.map(({ detail }) => detail)).toEqual([
    'Its request is not in the log.',
    'auto-complete.test moves by itself.',
    'Its request is not in the log.',
  ]);
});

test('a run that settles many orders is the cause of each, and many attempts leave room for a sale', async () => {
  const at = await sandbox({ rateLimits: false });
  const domain = magic('auto-complete', 199_900);
  // The log has the first 64 KB of the response.
  for (let n = 0; n < 800; n += 1) await orderFor(at, domain);
  const { public_id: id } = await orderFor(at, domain);
  await advanceClock(at, '3s');
  await at.control.post('/settlements/run');
  for (let n = 0; n < 2_000; n += 1) await requestOrder(at, { domain: domain.domain });
  const { steps } = await storyOf(at, id);
  expect(steps.map(({ detail }) => detail)).not.toContain('Its request is not in the log.');
});

test('what a restore has undone is not part of the story', async () => {
  const { at, public_id: id } = await withOrder();
  await at.control.post('/snapshots', { name: 's1' });
  const { steps } = await storyOf(at, id);
  await advance(at, id, { action: 'refund' });
  await at.control.post('/snapshots/s1/restore');
  await advance(at, id);
  expect((await storyOf(at, id)).steps.slice(0, -3)).toEqual(steps);
});

test('clock moves are shown only between other steps, repeated ones as one, and gaps are in words', async () => {
  const { at, public_id: id } = await withOrder();
  for (let n = 0; n < 4; n += 1) await advanceClock(at, '15h');
  await orderFor(at, magic('auto-complete', 199_900));
  await at.control.post('/clock/until', { event: 'order.transfer_completed' });
  await advance(at, id);
  const { steps } = await storyOf(at, id);
  expect(steps.map((step) => [step.after, lineOf(step)]).slice(3)).toEqual([
    [null, '09:00:00 clock Advance the clock by 15h, 4 times'],
    ['2 days 12 hours later', '21:00:00 clock Advance the clock until order.transfer_completed'],
    ['2 seconds later', '21:00:02 action Move the order one step'],
    [null, '21:00:02 move TRANSFER_IN_PROGRESS'],
    [null, '21:00:02 event order.transfer_started'],
  ]);
  await at.control.post('/clock/set', { to: '2026-03-08T15:00:00Z' });
  await at.control.post('/settlements/run');
  expect((await storyOf(at, id)).steps.at(-1)?.kind).not.toBe('clock');
});

test('an unknown order is not found, and links of another world name it', async () => {
  const at = await sandbox();
  await expect(storyOf(at, 'ord_none')).rejects.toThrow('order ord_none not found');
  const { public_id: id } = await orderFor(at, 0, await mintIn(at, 'w2'));
  const { steps } = await at.control.in('w2').get<OrderStory>(`/orders/${id}/story`);
  expect(steps[0]?.href).toMatch(/^\/_sandbox\/dashboard\/requests\/req_\w+\?world=w2$/);
});

describe('orders show --story', () => {
  test('draws the story in 80 columns, and says the same without colors', async () => {
    const at = await sandbox();
    const id = await lostSale(at);
    const note = `odd: ${'x'.repeat(90)} \u001b[31mred`.replace('\u001b', '');
    await advance(at, id, { action: 'hold', note });
    const run = commandLine(at);
    const { stdout, code } = await run(`orders show ${id} --story`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^lost-response\.test {2}MANUAL_REVIEW {2}ord_/);
    expect(stdout).toContain('09:00:00 │───────▶│        │  POST /quotes\n');
    expect(stdout).toMatch(/ {9}│◀─ 409 ─│ {8}│ {2}409 conflict {2}req_\w+\n/);
    expect(stdout).toMatch(/ {9}│ {3}✗╌╌╌╌│ {8}│ {2}no response {2}req_\w+\n/);
    expect(stdout).toContain('         │        ●        │  MANUAL_REVIEW\n');
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    const colored = await run(`orders show ${id} --story`, { env: { FORCE_COLOR: '1' } });
    const escapes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    expect(colored.stdout.replaceAll(escapes, '')).toBe(stdout);
  });

  test('prints the sample of the documentation', async () => {
    const { at } = await withReceiver(503);
    const sale = orderBody(magic('lost-response', 139_900));
    await requestOrder(at, sale, { idempotencyKey: 'sale-1' }).catch(() => 'lost');
    await at.idle();
    const id = await idOf(await requestOrder(at, sale, { idempotencyKey: 'sale-1' }));
    await advanceClock(at, '20s');
    const { stdout } = await commandLine(at)(`orders show ${id} --story`);
    const page = fs.readFileSync(path.join(ROOT, 'docs/request-log-and-dashboard.md'), 'utf8');
    const [, sample = ''] = /--story\n([^`]+)```/.exec(page) ?? [];
    const comparable = (text: string) => text.replaceAll(/in \d+ ms/g, 'in 0 ms');
    expect(comparable(stdout)).toBe(comparable(sample));
  });

  test('prints the steps as JSON, and without --story still the order', async () => {
    const { at, public_id: id } = await withOrder();
    const run = commandLine(at);
    const story = await run(`orders show ${id} --story --json`);
    expect(story.json()).toEqual(await storyOf(at, id));
    expect((await run(`orders show ${id} --json`)).json()).toHaveProperty('timeline');
    expect((await run('orders show .. --story')).stderr).toContain('id: ".." is invalid');
  });
});

import { describe, expect, test } from 'vitest';
import type { Fetch } from '../../src/client/fetch.ts';
import { addFault } from '../support/faults.ts';
import { caseFor, checkoutSale } from '../support/money.ts';
import { orderBody, orderFor, requestOrder, requestQuote, withOrder } from '../support/orders.ts';
import { deadUrl, register } from '../support/receiver.ts';
import { loggedIds } from '../support/request-log.ts';
import { answered, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { commandLine } from './command-line.ts';
import { COMMANDS } from './fixtures.ts';

const ESC = String.fromCharCode(27);

test('colors are for terminals, and only where they are wanted', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const coloured = async (more: object) => (await run('clock', more)).stdout.includes(ESC);
  expect(await coloured({})).toBe(false);
  expect(await coloured({ isTTY: true, columns: 80 })).toBe(true);
  expect(await coloured({ isTTY: true, columns: 80, env: { NO_COLOR: '1' } })).toBe(false);
  expect(await coloured({ isTTY: true, columns: 80, env: { TERM: 'dumb' } })).toBe(false);
  expect(await coloured({ env: { FORCE_COLOR: '1' } })).toBe(true);
  expect(await coloured({ isTTY: true, columns: 80, env: { FORCE_COLOR: '0' } })).toBe(false);
  expect(await coloured({ env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).toBe(false);
});

test('--json is never colored', async () => {
  const run = commandLine(await sandbox(), { isTTY: true, columns: 80 });
  expect((await run('orders list --json')).stdout).not.toContain(ESC);
});

/** The commands that print a table of a page. */
const LISTS = COMMANDS.filter(({ options = {} }) => 'cursor' in options).map(({ path: line }) =>
  line === 'find' ? 'find order' : line,
);

test('every list and the details of an order fit terminals of 80 and 60 columns, with text over spare width; a pipe gets whole values', async () => {
  const shop = await sandbox();
  await register(shop, await deadUrl());
  const { public_id: id } = await orderFor(shop);
  await shop.control.post(`/orders/${id}/advance`, { action: 'hold', note: '😀 '.repeat(40) });
  await requestQuote(shop, 'held-order.test');
  await checkoutSale(shop);
  await caseFor(shop, 'cased.example');
  await addFault(shop, { match: { path: '/pricing' }, effect: { code: 'conflict' } });
  const target = `/api/partner/v1/domains/search?q=${'long+'.repeat(40)}`;
  await shop.call({ method: 'GET', target });
  await shop.control.post('/snapshots', { name: `before-${'sale'.repeat(10)}` });
  await shop.control.post('/settlements/run');
  await shop.idle();
  const run = commandLine(shop);
  let rows = 0;
  for (const line of [...LISTS, `orders show ${id}`]) {
    const { code, stdout: whole } = await run(line);
    expect(code, line).toBe(0);
    expect(whole, line).not.toContain('…');
    for (const columns of [80, 60]) {
      const terminal = { columns, isTTY: true, env: { NO_COLOR: '1' } };
      const { stdout } = await run(line, terminal);
      expect(stdout, line).not.toMatch(/\p{Surrogate}/u);
      for (const each of stdout.split('\n')) {
        expect(each.length, `${line} at ${columns}:\n${each}`).toBeLessThanOrEqual(columns);
      }
      rows += stdout.split('\n').length;
    }
  }
  expect(rows).toBeGreaterThan(4 * LISTS.length);
  const unknownWidth = { columns: 0, isTTY: true };
  const { stdout } = await run('clock upcoming', unknownWidth);
  expect(stdout).toContain('quote for held-order.test expires');
});

test('a list that goes on says how, on stderr; with --json, only the document does', async () => {
  const shop = await sandbox();
  await orderFor(shop, 0);
  await orderFor(shop, 1);
  const run = commandLine(shop);
  const document = await run('orders list --limit 1 --json');
  expect(document.json()).toMatchObject({ next_cursor: expect.any(String) });
  expect(document.stderr).toBe('');
  const first = await run('orders list --limit 1');
  const [, cursor = ''] = /--cursor (\S+)/.exec(first.stderr) ?? [];
  const second = await run(['orders', 'list', '--limit', '1', '--cursor', cursor]);
  expect(second.code).toBe(0);
  expect(second.stderr).toBe('');
  expect(second.stdout).not.toBe(first.stdout);
});

test('nothing that a partner sends controls the terminal of a reader', async () => {
  const shop = await sandbox();
  const hostile = `a${ESC}[31mb\u009b31mc\u202ed\u2066e`;
  const rightToLeft = 'ab\u202ed\u2066e';
  const buyer = { email: 'a@b.co', name: rightToLeft };
  const sale = { ...orderBody(await seededListing()), buyer, external_payment_ref: rightToLeft };
  const recorded = await requestOrder(shop, sale);
  const { public_id: id } = await answered<{ public_id: string }>(recorded, 201);
  // Control characters are rejected, and shown in the request log.
  await rejection(await requestOrder(shop, { ...sale, external_payment_ref: hostile }));
  const [request_id] = await loggedIds(shop);
  const run = commandLine(shop, { isTTY: true, columns: 200, env: { NO_COLOR: '1' } });
  for (const line of [
    `orders show ${id}`,
    'orders list --json',
    `request GET /api/partner/v1/orders/${id}`,
    `orders show "${hostile}"`,
    `requests show ${request_id}`,
  ]) {
    const { stdout, stderr } = await run(line);
    expect(stdout + stderr, line).not.toContain(ESC);
    expect(stdout + stderr, line).not.toMatch(/[\x80-\x9f\u202a-\u202e\u2066-\u2069]/);
    expect(stdout + stderr, line).toMatch(/a.*b/);
  }
  const { stdout } = await run('orders list --json');
  expect(JSON.parse(stdout).orders[0].buyer.name).toBe(rightToLeft);
});

describe('text from a client', () => {
  const saying =
    (body: string, type: string): Fetch =>
    async () =>
      new Response(body, { headers: { 'Content-Type': type } });

  test.each([
    ['worlds delete x', { name: `${ESC}[2Jx` }],
    ['inventory remove x.com', { domain: `${ESC}[8mx.com`, environment: 'SANDBOX' }],
    ['clock', { now: `${ESC}]52;c;AAAA\u0007`, offset_ms: 0, frozen: true }],
    ['request GET /api/partner/v1/orders', { domain: `\u009b31m${ESC}[31m` }],
  ])('sends the terminal no control characters from %s', async (line, document) => {
    const fetch = saying(JSON.stringify(document), 'application/json');
    const env = { SANDLOT_KEY_ID: 'k', SANDLOT_SECRET: 's' };
    for (const json of ['', ' --json']) {
      const { stdout, stderr } = await commandLine(undefined, { fetch, env })(line + json, {
        isTTY: true,
        columns: 80,
      });
      // Our own colors set no more than one number.
      expect(stdout + stderr).not.toMatch(
        new RegExp(`${ESC}(?!\\[(?:[12]|22|3[1239])m)|[\\u0007\\u0080-\\u009f]`),
      );
      expect(stdout + stderr).toMatch(/\\u00(?:1b|9b)/);
    }
  });
});

test.each([
  ['orders list --partner nobody', 'no orders'],
  ['checkout list --domain other.test', 'no checkout sessions'],
  ['events list --for ord_1', 'no events'],
])('%s says that there is nothing', async (line, stdout) => {
  const at = await sandbox();
  expect(await commandLine(at)(line)).toMatchObject({ code: 0, stdout: `${stdout}\n`, stderr: '' });
});

test('tables name the partner, and details its ID too', async () => {
  const { at, public_id } = await withOrder();
  const run = commandLine(at);
  expect((await run('transactions list')).stdout).toMatch(/PARTNER.*\n.* local /);
  const { stdout } = await run(`orders show ${public_id}`);
  expect(stdout).toMatch(/^partner +local$/m);
  expect(stdout).toMatch(/^partner id +ptr_local$/m);
});

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/read-config.ts';
import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from '../../src/faults/fault-effects.ts';
import type { FieldTable } from '../../src/faults/fault-fields.ts';
import { MATCHERS } from '../../src/faults/fault-matchers.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { ask } from '../support/calls.ts';
import { hitsOf } from '../support/faults.ts';
import { magic, mint, type Order, orderBody, orderFor, requestOrder } from '../support/orders.ts';
import { headerOf, type Receiver, rightSignature, withReceiver } from '../support/receiver.ts';
import { type TestRuntime, testRuntime } from '../support/runtime.ts';
import { ROOT } from '../support/sandlot-process.ts';
import { commandLine } from './command-line.ts';

const DOCUMENT = fs.readFileSync(path.join(ROOT, 'docs/faults.md'), 'utf8');
const SALE = orderBody(magic('held-order', 250_000));

interface Shop {
  at: InProcessSandbox;
  hook: Receiver;
  runtime: TestRuntime;
  /** Runs the next command of the recipe. */
  step(): Promise<void>;
}

const typesOf = ({ received }: Receiver) =>
  received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
const order = (at: InProcessSandbox, idempotencyKey: string) =>
  requestOrder(at, SALE, { idempotencyKey });

/** What each recipe promises, by its heading. */
const PROMISED: Record<string, (shop: Shop) => Promise<void>> = {
  'Make every third order fail with 500': async ({ at, step }) => {
    await step();
    const statuses = [];
    for (const key of ['a', 'b', 'c', 'c']) statuses.push((await order(at, key)).status);
    expect(statuses).toEqual([201, 201, 500, 201]);
  },
  'Make only the second order fail': async ({ at, step }) => {
    await step();
    const statuses = [];
    for (const key of ['a', 'b', 'b', 'c']) statuses.push((await order(at, key)).status);
    expect(statuses).toEqual([201, 409, 201, 201]);
  },
  'Lose the response after the order was recorded': async ({ at, step }) => {
    await step();
    await expect(order(at, 'a')).rejects.toThrow();
    expect((await order(at, 'a')).status).toBe(201);
    expect(((await at.control.get('/orders')) as { orders: Order[] }).orders).toHaveLength(1);
  },
  'Close the connection before anything is done': async ({ at, step }) => {
    await step();
    await expect(order(at, 'a')).rejects.toThrow();
    expect(await at.control.get('/orders')).toMatchObject({ orders: [] });
    expect((await order(at, 'a')).status).toBe(201);
  },
  'Send half a response': async ({ at, step }) => {
    const { public_id: id } = await orderFor(at);
    await step();
    const response = await ask(at, `/orders/${id}`);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect((await ask(at, `/orders/${id}`)).status).toBe(200);
  },
  'Rate-limit one key': async ({ at, step }) => {
    const other = await mint(at);
    await step();
    expect((await ask(at, '/orders')).headers.get('retry-after')).toBe('1');
    expect((await ask(at, '/orders', other)).status).toBe(200);
    expect((await ask(at, '/orders')).status).toBe(429);
    expect((await ask(at, '/orders')).status).toBe(200);
  },
  'Delay a fifth of the searches by two seconds': async ({ at, step, runtime }) => {
    await step();
    for (let n = 0; n < 50; n += 1) await ask(at, '/domains/search?q=a');
    expect(runtime.elapsed.every((ms) => ms === 2_000)).toBe(true);
    expect(runtime.elapsed.length).toBeGreaterThan(3);
    expect(runtime.elapsed.length).toBeLessThan(20);
  },
  'Let the client time out after the order was recorded': async ({ at, hook, step, runtime }) => {
    await step();
    const first = await order(at, 'a');
    expect(runtime.elapsed).toEqual([30_000]);
    await at.idle();
    expect(typesOf(hook)).toEqual(['order.recorded']);
    const again = await order(at, 'a');
    expect(await again.text()).toBe(await first.text());
    expect(runtime.elapsed).toEqual([30_000]);
  },
  'Let a gateway lose the response': async ({ at, step }) => {
    await step();
    const page = await order(at, 'a');
    expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect((await order(at, 'a')).status).toBe(201);
    expect(((await at.control.get('/orders')) as { orders: Order[] }).orders).toHaveLength(1);
  },
  'Let the webhook arrive before the response': async ({ at, runtime, step }) => {
    await step();
    expect((await order(at, 'a')).status).toBe(201);
    expect(runtime.elapsed).toEqual([5_000]);
    expect((await order(at, 'a')).status).toBe(201);
    expect(runtime.elapsed).toEqual([5_000]);
  },
  'Hide the price of one domain': async ({ at, step }) => {
    await step();
    expect((await ask(at, '/pricing?domain=held-order.test')).status).toBe(404);
    expect((await ask(at, '/domains/held-order.test')).status).toBe(200);
    expect((await ask(at, '/pricing?domain=auto-complete.test')).status).toBe(200);
  },
  'Lose the first webhook of an order': async ({ at, step, hook }) => {
    await step();
    await orderFor(at);
    await at.idle();
    expect(typesOf(hook)).toEqual([]);
    await step();
    expect(typesOf(hook)).toEqual(['order.recorded']);
  },
  'Deliver everything twice': async ({ at, step, hook }) => {
    await step();
    await orderFor(at);
    await at.idle();
    expect(typesOf(hook)).toEqual(['order.recorded', 'order.recorded']);
  },
  'Deliver ten minutes late': async ({ at, step, hook }) => {
    await step();
    await orderFor(at);
    await at.control.post('/clock/advance', { by: '9m59s' });
    expect(typesOf(hook)).toEqual([]);
    await step();
    expect(typesOf(hook)).toEqual(['order.recorded']);
  },
  'Deliver out of order': async ({ at, step, hook }) => {
    await step();
    const { public_id: id } = await orderFor(at);
    await at.control.post(`/orders/${id}/advance`);
    await at.idle();
    expect(typesOf(hook)).toEqual(['order.transfer_started', 'order.recorded']);
  },
  "Lose the receiver's response": async ({ at, step, hook }) => {
    await step();
    await orderFor(at);
    await at.idle();
    expect(typesOf(hook)).toEqual(['order.recorded']);
    await step();
    expect(typesOf(hook)).toEqual(['order.recorded', 'order.recorded']);
  },
  'Sign a webhook wrongly, then correctly': async ({ at, step, hook }) => {
    await step();
    hook.response = (response, n) => response.writeHead(n === 1 ? 401 : 200).end();
    await orderFor(at);
    await at.control.post('/clock/advance', { by: '5s' });
    const right = hook.received.map(
      (each) => headerOf(each, 'X-Service-Signature') === rightSignature(each),
    );
    expect(right).toEqual([false, true]);
  },
};

/** Headings of recipes, each with its commands. */
const RECIPES = [...DOCUMENT.matchAll(/^### (.+)\n\n```sh\n([\s\S]*?)```/gm)].map(
  ([, heading = '', block = '']) => ({ heading, commands: block.trim().split('\n') }),
);

test('every recipe has a test, and every test a recipe', () => {
  expect(RECIPES.map(({ heading }) => heading)).toEqual(Object.keys(PROMISED));
  expect(DOCUMENT.match(/^### /gm)).toHaveLength(RECIPES.length);
});

test.each(RECIPES)('$heading', async ({ heading, commands }) => {
  const runtime = testRuntime();
  const { at, hook } = await withReceiver(200, { rateLimits: false, runtime });
  const run = commandLine(at);
  const left = [...commands];
  const step = async () => {
    const line = left.shift()?.replace(/^npx sandlot /, '') ?? '';
    expect(await run(line), line).toMatchObject({ code: 0, stderr: '' });
  };
  await PROMISED[heading]?.({ at, hook, runtime, step });
  expect(left).toEqual([]);
  expect((await hitsOf(at))[0]).toBeGreaterThan(0);
});

test.each([
  ['Match', { match: MATCHERS }],
  ['Effects on requests', { effect: REQUEST_EFFECTS }],
  ['Effects on webhooks', { webhook: WEBHOOK_EFFECTS }],
] as [section: string, tables: Record<string, FieldTable>][])(
  'its section %s documents every field with its option',
  (section, tables) => {
    const [, text = ''] = new RegExp(`## ${section}\n([\\s\\S]*?)\n## `).exec(DOCUMENT) ?? [];
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    for (const [column, table] of Object.entries(tables)) {
      expect(text).toContain(`| \`${column}\` |`);
      for (const [name, { option }] of Object.entries(table)) {
        const row = rows.find((line) => line.split('|')[1]?.includes(`\`${name}\``));
        expect(row, name).toContain(`\`${option.replace(/ .*/, '')}\``);
      }
    }
  },
);

test('the configuration that it shows is valid', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(DOCUMENT) ?? [];
  expect(parseConfig(json, 'faults.md').faults).toHaveLength(2);
});

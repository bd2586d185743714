import path from 'node:path';
import { expect, test } from 'vitest';
import { orderFor } from '../support/orders.ts';
import { deadUrl, deliveriesOf, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';
import { COMMANDS, ELSEWHERE, play } from './fixtures.ts';

test('options of a list become the query of the control API', async () => {
  const shop = await sandbox();
  await register(shop, await deadUrl());
  const { public_id: id } = await orderFor(shop);
  await shop.idle();
  const [delivery] = await deliveriesOf(shop);
  const event = delivery?.event_id ?? '';
  const run = commandLine(shop);
  for (const [line, route, query] of [
    ['inventory list --env LIVE', '/inventory', { environment: 'LIVE' }],
    ['inventory list --tld test --prefix held', '/inventory', { tld: 'test', q: 'held' }],
    ['orders list --status settled', '/orders', { status: 'SETTLED' }],
    [`orders why-not ${id} --to SETTLED`, `/orders/${id}/why-not`, { to: 'SETTLED' }],
    [`events list --for ${id} --type order.recorded`, '/events', { subject_id: id }],
    [`webhooks deliveries --event ${event} --status pending`, '/deliveries', { event_id: event }],
  ] as const) {
    const { code, stderr, json } = await run(`${line} --json`);
    expect(code, line).toBe(0);
    expect(stderr, line).toBe('');
    expect(steady(json()), line).toEqual(steady(await shop.control.get(route, query)));
  }
});

/** Commands that print a document of their own, with its fields. */
const OWN_DOCUMENTS: Record<string, readonly string[]> = {
  completion: ['shell', 'script'],
  'golive show': [
    ...['id', 'level', 'title', 'status', 'required', 'accepted', 'count'],
    ...['evidence', 'contradictions', 'rule', 'next'],
  ],
  doctor: ['ok', 'checks'],
  'mcp add': ['file', 'entry', 'changed'],
  request: ['status', 'headers', 'body'],
  sign: ['canonical_string', 'headers'],
  skill: ['skill'],
  verify: ['valid', 'problems', 'canonical_string', 'signed_string'],
  wait: ['ready', 'url'],
  'webhooks fire': ['ok', 'url', 'event', 'attempts'],
  'worlds export': ['world', 'file', 'bytes'],
};
/** Commands that print a JSON object per line, or no JSON. */
const NO_DOCUMENT = new Set(['logs', 'mcp', 'webhooks listen']);

const examples = COMMANDS.filter(({ path }) => !ELSEWHERE.has(path) && !NO_DOCUMENT.has(path)).map(
  ({ path, examples: [first = ''] }) => [path, `${first} --json`] as const,
);

test.each(examples)('%s --json prints the response', async (path, line) => {
  const responses: Response[] = [];
  const { json } = await play(path, line, { onResponse: (each) => responses.push(each) });
  const own = OWN_DOCUMENTS[path];
  if (own) expect(Object.keys(json<object>())).toEqual(own);
  else expect(json()).toEqual(await responses.at(-1)?.json());
});

test('init --json prints the file', async () => {
  const cwd = stateFolder();
  const { json } = await commandLine(undefined, { cwd })('init --json');
  expect(json()).toEqual({ file: path.join(cwd, 'sandlot.config.json') });
});

test('--json can precede the command', async () => {
  const run = commandLine(await sandbox());
  expect((await run('--json worlds list')).json()).toMatchObject({ worlds: [{ name: 'default' }] });
  expect((await run('orders --json list')).json()).toMatchObject({ orders: [], total: 0 });
});

/** Drops what differs at each call. */
function steady(document: unknown): unknown {
  const dropped = new Set(['offset_ms']);
  return JSON.parse(
    JSON.stringify(document, (name, value: unknown) => (dropped.has(name) ? undefined : value)),
  );
}

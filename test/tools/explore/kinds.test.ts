import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { byHand, KINDS } from '../../../src/tools/explore/kinds.ts';
import { pointOf } from '../../../src/tools/explore/traffic.ts';
import { command } from '../../support/command-server.ts';
import { takeViolations } from '../../support/openapi/watch.ts';
import { freePorts } from '../../support/ports.ts';
import { sandbox } from '../../support/sandbox.ts';
import { shellWords } from '../../support/shell-words.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { APPS, NODE } from './apps.ts';
import { explore, lineOf, openWorkload, type Report, type Send } from './explore.ts';

const PROBE = path.join(APPS, 'probe.mjs');
const DOMAIN = 'auto-complete.test';
/** Where the kinds of calls act, and the others. */
const ORDER = `postOrder#1 ${DOMAIN}`;
const STARTED = `order.transfer_started#1 ${DOMAIN}`;
const KILL = { kind: 'app.killed_at_webhook', point: STARTED };
/** A pair of one kind. */
const KILLS = [{ ...KILL, point: `order.recorded#1 ${DOMAIN}` }, KILL];
const TWO_KILLS = 'two kills';
const CLIENT_TIMEOUT_MS = 300;
const HOUR_MS = 3_600_000;

/** What a client and a receiver saw in a run, in this order. */
interface Line {
  started?: number;
  /** The type of a webhook, or of the response to the order. */
  type?: string | null;
  id?: string;
  /** The sandbox clock. */
  at?: string;
  /** The status of the response to the order, 0 without one. */
  order?: number;
  retryAfter?: number;
  body?: string;
  ms?: number;
  /** How many orders there are. */
  orders?: number;
  /** The price before and after the order. */
  prices?: [number, number];
  /** The sandbox clock after the order. */
  now?: string;
}

interface Seen {
  lines: Line[];
  client: Line;
  webhooks: Line[];
  /** How often the app was started. */
  starts: number;
}

const seen = new Map<string, Seen>();
let report: Report;

/** Runs each kind once, as a saved finding. */
beforeAll(async () => {
  const cwd = makeTemporaryFolder('sandlot-test-');
  const log = path.join(cwd, 'log.jsonl');
  const workload = await openWorkload(async (send, url) => {
    fs.appendFileSync(log, `${JSON.stringify(await probe(send, url))}\n`);
    return true;
  });
  const ids = ['', ...KINDS.map(({ id }) => id), TWO_KILLS];
  for (const [at, id] of ids.entries()) {
    if (id === '') continue;
    const finding = {
      ...{ format: 1, id: `exp_${String(at).padStart(2, '0')}`, sentence: id },
      faults: id === TWO_KILLS ? KILLS : [{ kind: id, point: pointFor(id) }],
      ...{ property: 'process.exited', workload: workload.slice(1), options: {} },
    };
    fs.writeFileSync(path.join(cwd, `${finding.id}.json`), JSON.stringify(finding));
  }
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}/`;
  const { code, out, err } = await explore(
    [
      ...['--json', '--findings', '.', '--client-timeout', `${CLIENT_TIMEOUT_MS}ms`],
      ...['--app', lineOf(NODE, PROBE), '--ready', url, '--webhook-url', url],
      ...['--reset', 'echo null >> log.jsonl', '--settle', '0s'],
      ...['--only', 'call.error', 'showPricing', ...workload],
    ],
    { cwd, env: { PORT: String(port) } },
  );
  report = JSON.parse(out) as Report;
  expect(code, err + out).toBe(0);
  // Those of a gateway.
  takeViolations();
  // Two clean runs come first.
  const runs = fs.readFileSync(log, 'utf8').split('null\n').slice(2);
  for (const [at, id] of ids.entries()) {
    const lines = (runs[at] ?? '').split('\n').filter((line) => line !== '');
    seen.set(id, seenIn(lines.map((line) => JSON.parse(line) as Line)));
  }
  fs.rmSync(cwd, { recursive: true });
});

/** Asks for a quote, sells the domain without a retry, and returns what was seen. */
async function probe(send: Send, url: string): Promise<Line> {
  const quote = await send('POST', '/quotes', { data: { domain: DOMAIN } });
  const { quote_id, price_cents } = JSON.parse(quote.body) as Record<string, number>;
  const begun = performance.now();
  const data = { quote_id, external_payment_ref: 'pay-1' };
  const { status: order, ...response } = await send('POST', '/orders', { data, key: 'sale-1' });
  const ms = performance.now() - begun;
  const { body: pricing } = await send('GET', `/pricing?domain=${DOMAIN}`);
  const { buy_now_price_cents } = JSON.parse(pricing) as Record<string, number>;
  const found = await send('GET', '/orders');
  const { orders } = JSON.parse(found.body) as { orders: object[] };
  const { now } = (await (await fetch(`${url}/_sandbox/clock`)).json()) as { now: string };
  const prices: [number, number] = [Number(price_cents), Number(buy_now_price_cents)];
  return { order, ...response, ms, orders: orders.length, prices, now };
}

function pointFor(kind: string): string {
  return /^(?:webhook|app.killed_at_webhook|app.killed_after_ack)/.test(kind) ? STARTED : ORDER;
}

function seenIn(lines: Line[]): Seen {
  return {
    lines,
    client: lines.find(({ order }) => order !== undefined) ?? {},
    webhooks: lines.filter(({ id }) => id !== undefined),
    starts: lines.filter(({ started }) => started !== undefined).length,
  };
}

function runOf(kind: string): Seen {
  const run = seen.get(kind);
  if (!run) throw new Error(`no run of ${kind}`);
  return run;
}

/** The webhooks of a clean run. */
const ALL = ['order.recorded', 'order.transfer_started', 'order.transfer_completed'];
const [RECORDED, TRANSFER_STARTED, COMPLETED] = ALL;
const html = {
  type: expect.stringContaining('text/html'),
  body: expect.stringContaining('<html>'),
};
const json = { type: expect.stringContaining('application/json') };
const error = (code: string) => ({ ...json, body: expect.stringContaining(`"code":"${code}"`) });

test('without a fault, the order is recorded, and three webhooks come', () => {
  const { client, webhooks, starts } = runOf('');
  expect(client).toMatchObject({ order: 201, orders: 1, prices: [199_900, 199_900] });
  expect(webhooks.map(({ type }) => type)).toEqual(ALL);
  expect(starts).toBe(0);
});

test('every kind acts at its point, also twice, and restarts the app only if it kills it', () => {
  expect(report.saved.map(({ status }) => status)).toEqual([...KINDS, KILLS].map(() => 'FIXED'));
  expect(runOf(TWO_KILLS).starts).toBe(2);
  const restarted = KINDS.filter(({ id }) => runOf(id).starts > 0).map(({ id }) => id);
  expect(restarted).toEqual([
    'webhook.missed',
    'app.killed_at_webhook',
    'app.killed_after_ack',
    'app.killed_after_call',
  ]);
});

describe('a call', () => {
  test.each([
    ['call.error', { order: 500, orders: 0, ...error('internal_error') }],
    ['call.limited', { order: 429, orders: 0, retryAfter: 1, ...error('rate_limited') }],
    ['call.unavailable', { order: 503, orders: 0, ...html }],
    ['call.bad_gateway', { order: 502, orders: 1, ...html }],
    ['call.lost_before', { order: 0, orders: 0 }],
    ['call.lost_after', { order: 0, orders: 1 }],
    ['call.late', { order: 201, orders: 1, ...json }],
    ['call.webhook_first', { order: 201, orders: 1, ...json }],
    ['app.killed_after_call', { order: 0, orders: 1 }],
    ['clock.quote_expired', { order: 422, orders: 0, ...error('quote_expired') }],
  ])('with %s gets %o', (kind, expected) => {
    expect(runOf(kind).client).toMatchObject(expected);
  });

  test('with call.late gets its response 500 ms after the client timeout', () => {
    const { client, webhooks } = runOf('call.late');
    expect(client.ms).toBeGreaterThan(CLIENT_TIMEOUT_MS + 500 - 5);
    expect(webhooks.map(({ type }) => type)).toEqual(ALL);
  });

  test('with call.webhook_first gets its response after the webhook, without waiting longer', () => {
    const { lines, client } = runOf('call.webhook_first');
    expect(lines[0]).toMatchObject({ type: RECORDED });
    expect(lines[1]).toBe(client);
  });

  test('with clock.quote_expired comes 10 min 1 s later, and the price has risen by 1 %', () => {
    const { client } = runOf('clock.quote_expired');
    expect(client.prices).toEqual([199_900, 201_899]);
    expect(client.now).toBe('2026-01-05T09:10:01.000Z');
  });
});

describe('a webhook', () => {
  test.each([
    ['webhook.twice', [RECORDED, TRANSFER_STARTED, TRANSFER_STARTED, COMPLETED]],
    ['webhook.ack_lost', [RECORDED, TRANSFER_STARTED, COMPLETED, TRANSFER_STARTED]],
    ['webhook.swapped', [RECORDED, COMPLETED, TRANSFER_STARTED]],
    ['webhook.late', [RECORDED, COMPLETED, TRANSFER_STARTED]],
    ['webhook.missed', [RECORDED, COMPLETED]],
    ['app.killed_at_webhook', [RECORDED, TRANSFER_STARTED, COMPLETED, TRANSFER_STARTED]],
    ['app.killed_after_ack', [RECORDED, TRANSFER_STARTED, COMPLETED]],
  ])('with %s is one of %j', (kind, types) => {
    const { webhooks, client } = runOf(kind);
    expect(webhooks.map(({ type }) => type)).toEqual(types);
    expect(client).toMatchObject({ order: 201, orders: 1 });
    // What comes twice is the same event.
    expect(new Set(webhooks.map(({ id }) => id)).size).toBe(new Set(types).size);
  });

  test('with webhook.late comes one hour later', () => {
    const [clean, late] = ['', 'webhook.late'].map((kind) => {
      const { at = '' } = runOf(kind).webhooks.find(({ type }) => type === TRANSFER_STARTED) ?? {};
      return Date.parse(at);
    });
    expect(Number(late) - Number(clean)).toBe(HOUR_MS);
  });
});

describe('the app', () => {
  const events = (kind: string) =>
    runOf(kind).lines.map(({ started, order, type }) => (started ? 'start' : (type ?? order)));

  test('with webhook.missed is restarted when all is delivered', () => {
    expect(events('webhook.missed').at(-1)).toBe('start');
  });

  test('is killed when its response to a webhook arrives, which is repeated', () => {
    const [, , first, ...more] = events('app.killed_at_webhook');
    expect([first, ...more]).toEqual([TRANSFER_STARTED, 'start', COMPLETED, TRANSFER_STARTED]);
  });

  test('is killed after its 200, and gets the next webhook', () => {
    const [, , ...more] = events('app.killed_after_ack');
    expect(more).toEqual([TRANSFER_STARTED, 'start', COMPLETED]);
  });

  test('is killed before the response of a call, and stays down until the workload has ended', () => {
    const seen = events('app.killed_after_call');
    expect(seen.indexOf('start')).toBeGreaterThan(seen.indexOf(0));
    expect(seen.filter((each) => each === 'start')).toHaveLength(1);
    expect(seen).toEqual(expect.arrayContaining(ALL));
  });
});

describe('the commands by hand', () => {
  const setup = { app: 'node shop.mjs', clientTimeout: 89_500 };

  test.each(KINDS)('of $id add the same fault', async ({ id }) => {
    const kind = KINDS.find((each) => each.id === id);
    const at = pointOf(pointFor(id).replace('#1', '#2'));
    if (!kind || !at) throw new Error(id);
    const marketplace = await sandbox({ port: 0 });
    const commands = byHand(kind, at, setup).filter((text) => text.startsWith('sandlot '));
    for (const text of commands) {
      const [, ...words] = shellWords(text) ?? [];
      const { status, stderr } = await command('/', [...words, '--url', marketplace.url]);
      expect(status, `${text}\n${stderr}`).toBe(0);
    }
    const added = await marketplace.control.get<{ faults: object[] }>('/faults');
    const wanted = kind.fault?.(at, setup);
    expect(added.faults).toHaveLength(wanted ? 1 : 0);
    if (!wanted) return;
    await marketplace.control.delete('/faults');
    await marketplace.control.post('/faults', wanted);
    const { faults } = await marketplace.control.get<{ faults: object[] }>('/faults');
    const without = { fault_id: expect.any(String), created_at: expect.any(String) };
    expect(added.faults[0]).toEqual({ ...faults[0], ...without });
  });
});

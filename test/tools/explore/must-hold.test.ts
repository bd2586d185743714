import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { takeViolations } from '../../support/openapi/watch.ts';
import { freePorts } from '../../support/ports.ts';
import { emptyDirectory } from '../../support/sandlot-process.ts';
import { APPS, IS_FULL, NODE, SHOPS, type Shop, wrongShop } from './apps.ts';
import { explore, lineOf, openWorkload, type Report, sell } from './explore.ts';

const TIMES = IS_FULL ? [1, 2, 3] : [1];

const SUITE = [NODE, path.join(APPS, 'suite.mjs')];
const RECEIVER = [NODE, path.join(APPS, 'receiver.mjs')];
const BUY = [NODE, path.join(APPS, 'buy.mjs'), 'auto-complete.test'];
const COMPLETED = 'order.transfer_completed';
const REFUND = [NODE, path.join(APPS, 'buy.mjs'), 'held-order.test', '--refund'];

interface Search {
  workload: string[];
  shop?: Shop;
  options?: string[];
  env?: Record<string, string>;
  port?: number | undefined;
}

/** Searches, and returns the exit code and the report. */
async function runSearch({ workload, shop, options = [], env = {}, ...search }: Search) {
  const port = search.port ?? (await freePort());
  const common = ['--json', '--inventory', '50', '--client-timeout', '1s'];
  const app = shop ? optionsOf(shop, port) : [];
  const { code, err, report } = await explore([...common, ...app, ...options, '--', ...workload], {
    cwd: emptyDirectory(),
    env: { ...shop?.env, ...env, PORT: String(port), DB: 'shop.db', CLIENT_TIMEOUT_MS: '1000' },
  });
  return { code, stderr: err, report };
}

const freePort = async () => (await freePorts(1))[0] ?? 0;

function optionsOf(shop: Shop, port: number): string[] {
  const url = `http://127.0.0.1:${port}`;
  const app = ['--app', commandOf(shop), '--ready', `${url}/health`];
  const receiver = shop.hasReceiver ? ['--webhook-url', `${url}/webhooks`] : [];
  return [...app, '--state', commandOf(shop, 'state'), ...receiver];
}

/** The command line of a shop for a shell. */
const commandOf = (shop: Shop, ...args: string[]) => lineOf(...shop.command, ...args);

/** Ways to begin a run with an empty shop. */
const byCommand = (shop: Shop) => ['--reset', commandOf(shop, 'reset')];
const byRemoval = ['--reset', 'rm -f shop.db shop.db-wal shop.db-shm'];
const byRestart = [...byRemoval, '--restart-app'];

const catchUp = (shop: Shop) => ['--catch-up', commandOf(shop, 'catch-up')];

const { node, worker, python } = SHOPS;
const slowWorker: Shop = { ...node, env: { WORKER_MS: '1500' } };
const refunding = wrongShop('refunds-second');
const needsTwo = wrongShop('new-key-after-two');

const withApp = (shop: Shop, begin: string[], workload = BUY): Search => ({
  ...{ shop, workload },
  options: shop.hasReceiver ? [...begin, ...catchUp(shop)] : begin,
});

/** Searches without a finding. */
const CORRECT: [title: string, search: Search, isMissing?: boolean | undefined][] = [
  ['a shop in Node with webhooks', withApp(node, byCommand(node))],
  ['a shop in Node with webhooks that refunds', withApp(node, byRestart, REFUND)],
  ['a shop in Node with a worker and an outbox', withApp(worker, byRestart)],
  ['a shop in Python that only polls', withApp(python, byRemoval), python.isMissing],
  ['a test suite without an app', { workload: SUITE }],
  ['a worker that needs 1.5 s', withApp(slowWorker, byRestart, [...BUY, '--no-wait'])],
  ['a workload that fails when its order fails', { workload: SUITE, env: { ATTEMPTS: '1' } }],
  ['an app that refunds a second order itself', withApp(refunding, byRestart)],
  ['a receiver inside the workload', { workload: RECEIVER }],
  ['a mistake that needs two faults, without --pairs', withApp(needsTwo, byRestart)],
];

describe.skipIf(!IS_FULL).each(TIMES)('finds nothing, time %i:', () => {
  for (const [title, search, isMissing = false] of CORRECT) {
    test.skipIf(isMissing)(title, async () => {
      const { code, stderr, report } = await runSearch(search);
      expect(report.findings, stderr).toEqual([]);
      expect(code).toBe(0);
      expect(report.run).toBe(report.planned);
      expect(report.run).toBeGreaterThan(0);
    });
  }
});

test('finds nothing in a suite that repeats its call with the same Idempotency-Key', async () => {
  const args = await openWorkload((send) => sell(send, 'fixed'));
  const options = ['--only', 'call.*', '--skip', 'call.late', '--settle', '0s'];
  const { code, report } = await runSearch({ workload: args.slice(1), options });
  // Those of a gateway.
  takeViolations();
  expect(report).toMatchObject({ findings: [], planned: 12, run: 12 });
  expect(code).toBe(0);
});

test.skipIf(IS_FULL)('finds nothing in a shop in Node with webhooks', async () => {
  const kinds = ['call.lost_after', 'webhook.twice', 'app.killed_at_webhook'];
  const { code, stderr, report } = await runShort(node, [...kinds, 'postOrder', COMPLETED]);
  expect(report, stderr).toMatchObject({ findings: [], planned: 3, run: 3 });
  expect(code).toBe(0);
});

/** The mistakes: what is found, by which kinds, at the first point of which group. */
const MISTAKES: [mistake: string, property: string, kinds: string[], group: string][] = [
  ['new-key', 'traffic.sold_twice', ['call.lost_after'], 'postOrder'],
  ['no-event-ids', 'state.fulfilled', ['webhook.twice', 'webhook.ack_lost'], COMPLETED],
  ['ids-in-memory', 'state.fulfilled', ['app.killed_at_webhook'], COMPLETED],
  ['failed-after-lost', 'state.known', ['call.lost_after'], 'postOrder'],
  ['failed-after-502', 'state.known', ['call.bad_gateway'], 'postOrder'],
  ['last-event', 'state.status', ['webhook.swapped', 'webhook.late'], 'order.transfer_started'],
  ['ignores-early', 'state.pending', ['call.webhook_first'], 'postOrder'],
  ['responds-first', 'state.fulfilled', ['app.killed_after_ack'], COMPLETED],
  ['old-amount', 'state.same_sale', ['clock.quote_expired'], 'postOrder'],
  ['no-catch-up', 'state.fulfilled', ['webhook.missed'], COMPLETED],
  ['refunded-twice', 'state.refunded', ['call.error'], 'postRefund'],
  ['html-crash', 'process.exited', ['call.unavailable'], 'postOrder'],
];

/** Searches without starting programs but the shop, which is reset, asked and used by HTTP. */
async function runShort(shop: Shop, ids: string[], isRefund = false) {
  const port = await freePort();
  const curl = (page: string, data = '') =>
    `curl -fsS -d '${data}' http://127.0.0.1:${port}/${page}`;
  const domain = isRefund ? 'held-order.test' : 'auto-complete.test';
  const buy = curl('buy', JSON.stringify({ domain, ref: 'pay-1' }));
  const mistake = shop.env?.MISTAKE;
  // What is in memory ends with the process.
  const reset = mistake === 'ids-in-memory' ? byRestart : ['--reset', `${curl('reset')} || true`];
  const settle = mistake === 'responds-first' ? '400ms' : '0s';
  return runSearch({
    ...{ shop, port },
    options: [...reset, '--state', curl('state'), '--settle', settle, '--only', ...ids],
    workload: ['sh', '-c', isRefund ? `${buy} && ${curl('refund/pay-1')}` : buy],
  });
}

/** Expects a finding of one fault for each kind, which each of its three runs showed. */
function expectFindings(
  { findings }: Report,
  [property, kinds, group]: [property: string, kinds: string[], group: string],
  details: string,
) {
  const single = findings.filter(({ faults }) => faults.length === 1);
  const found = single.map(({ property, rate, faults: [fault] }) => ({ property, rate, ...fault }));
  const domain = group === 'postRefund' ? 'held-order.test' : 'auto-complete.test';
  for (const kind of kinds) {
    const expected = { property, rate: '3 of 3', kind, point: `${group}#1 ${domain}` };
    expect(found, details).toContainEqual(expect.objectContaining(expected));
  }
}

describe.each(TIMES)('finds by single faults, time %i:', () => {
  test.each(MISTAKES)('%s breaks %s under %j', async (mistake, property, kinds, group) => {
    const shop = mistake === 'no-catch-up' ? node : wrongShop(mistake);
    const isRefund = group === 'postRefund';
    const { code, stderr, report } = IS_FULL
      ? await runSearch({ shop, options: byRestart, workload: isRefund ? REFUND : BUY })
      : await runShort(shop, [...kinds, group], isRefund);
    expect(code, stderr).toBe(1);
    expectFindings(report, [property, kinds, group], stderr);
  });

  // In a short run, findings.test.ts shows it.
  test.skipIf(!IS_FULL)('new-key breaks traffic.sold_twice without an app', async () => {
    const env = { MISTAKE: 'new-key' };
    const { code, stderr, report } = await runSearch({ env, workload: SUITE });
    expect(code, stderr).toBe(1);
    expectFindings(report, ['traffic.sold_twice', ['call.lost_after'], 'postOrder'], stderr);
  });
});

test.skipIf(!IS_FULL)(
  'a mistake that needs two faults is found with --pairs, and reduced to these two',
  async () => {
    const options = [...byRestart, '--pairs', '--only', 'call.lost_after'];
    const { code, stderr, report } = await runSearch(withApp(needsTwo, options));
    expect(code, stderr).toBe(1);
    const found = report.findings.filter(({ property }) => property === 'traffic.sold_twice');
    expect(
      found.map(({ faults }) => faults.map(({ kind, point }) => ({ kind, point }))),
    ).toContainEqual([
      { kind: 'call.lost_after', point: 'postOrder#1 auto-complete.test' },
      { kind: 'call.lost_after', point: 'postOrder#2 auto-complete.test' },
    ]);
    expect(found.every(({ faults }) => faults.length === 2)).toBe(true);
  },
);

test('--workload-must-pass makes a failed workload a finding', async () => {
  const args = await openWorkload(async (send) => {
    const { status } = await send('GET', '/pricing?domain=auto-complete.test');
    return status === 200;
  });
  const { code, report } = await runSearch({
    workload: args.slice(1),
    options: ['--workload-must-pass', '--only', 'call.error', '--settle', '0s'],
  });
  expect(code).toBe(1);
  expect(report.findings.map(({ property }) => property)).toContain('workload.passes');
});

test.skipIf(!IS_FULL)('memory grows by less than 20 MB in 1,000 runs', async () => {
  v8.setFlagsFromString('--expose-gc');
  const collectGarbage = vm.runInNewContext('gc') as () => void;
  const memory: number[] = [];
  let runs = 0;
  const args = await openWorkload(async (send) => {
    runs += 1;
    if (runs === 100 || runs === 1_100) {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      memory.push(heapUsed + external);
    }
    for (let n = 1; n <= 12; n += 1) await send('GET', `/pricing?domain=domain${n}.test`);
    return true;
  });
  const kinds = ['call.error', 'call.limited', 'call.unavailable', 'call.lost_before'];
  const { report } = await runSearch({
    workload: args.slice(1),
    options: ['--pairs', '--only', ...kinds, '--settle', '0s', '--max-time', '1h'],
  });
  takeViolations();
  const [early = 0, late = Number.POSITIVE_INFINITY] = memory;
  expect(report.run).toBeGreaterThan(1_000);
  expect((late - early) / 1e6).toBeLessThan(20);
});

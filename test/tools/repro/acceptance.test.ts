import net from 'node:net';
import { expect, test, vi } from 'vitest';
import { sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import { NO_RATE_LIMITS } from '../../../src/http/rate-limits.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { DEFAULT_CREDENTIAL } from '../../../src/market/defaults.ts';
import { urlOf } from '../../../src/sandbox/sandbox.ts';
import { digestOf } from '../../../src/tools/repro/rows.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { receiver } from '../../support/receiver.ts';
import { emptyDirectory, startProcess } from '../../support/sandlot-process.ts';
import { type RecordedSandbox, recordedSandbox } from './recorded-sandbox.ts';
import { expectSameReplay } from './same-replay.ts';

const KEY = { key_id: DEFAULT_CREDENTIAL.keyId, secret: DEFAULT_CREDENTIAL.secret };
const P = '/api/partner/v1';

async function post(url: string, target: string, body: object, headers = {}): Promise<Response> {
  const request = { method: 'POST', target, body, headers };
  return sendSigned(fetch, signPartnerRequest(url, KEY, request, Date.now()));
}

async function firstDomain(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/_sandbox/inventory?limit=100`);
  const { listings } = (await response.json()) as { listings: Record<string, unknown>[] };
  return listings.find(({ tld }) => tld !== 'test') ?? {};
}

async function expectReplays(at: RecordedSandbox): Promise<void> {
  await at.sandbox.schedulers.of(at.world).idle();
  await at.world.committed();
  const digest = digestOf(at.world.store.client);
  for (const recording of at.recordings()) {
    await expectSameReplay(at, recording, { digest: recording.ended ? undefined : digest });
  }
}

/** The specification asks for 20. */
const RACES = Number(process.env.SANDLOT_TEST_RACES ?? 6);

test(`32 connections that order one domain replay with the same winner, in ${RACES} of ${RACES} runs`, async () => {
  for (let run = 0; run < RACES; run += 1) {
    const at = await recordedSandbox({ rateLimits: NO_RATE_LIMITS });
    const url = urlOf(await at.sandbox.listen('127.0.0.1', 0));
    const { domain, price_cents } = await firstDomain(url);
    const order = {
      domain,
      expected_price: price_cents,
      currency: 'USD',
      buyer: { email: 'buyer@example.com' },
    };
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        post(url, `${P}/orders`, order, { 'Idempotency-Key': `order-${run}-${n}` }),
      ),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    await expectReplays(at);
    await at.close();
  }
});

test('a receiver that responds 503, 503, hangs and responds 200 is not needed to replay its deliveries', async () => {
  let giveUp = () => {};
  const hook = await receiver((response, n) => {
    if (n <= 2) response.writeHead(503).end('busy');
    else if (n === 3) giveUp();
    else response.writeHead(200).end('thanks');
  });
  const at = await recordedSandbox({
    runtime: {
      ...systemRuntime,
      after: (ms, task) => {
        // The time that a receiver has.
        if (ms === 5_000) giveUp = task;
        return systemRuntime.after(ms, task);
      },
    },
  });
  const url = urlOf(await at.sandbox.listen('127.0.0.1', 0));
  await at.control.put('/webhooks', { url: hook.url, secret: 'whsec_of_the_receiver' });
  const { domain } = await firstDomain(url);
  const { quote_id } = (await (await post(url, `${P}/quotes`, { domain })).json()) as {
    quote_id: string;
  };
  const body = { quote_id, external_payment_ref: 'r' };
  await post(url, `${P}/orders`, body, { 'Idempotency-Key': 'k' });
  for (const by of ['5s', '30s', '2m']) await at.control.post('/clock/advance', { by });
  const attempts = at.world.store.client
    .prepare('SELECT outcome FROM delivery_attempts ORDER BY id')
    .pluck()
    .all();
  expect(attempts).toEqual(['status 503', 'status 503', 'timeout', 'ok']);
  await hook.close();
  const connect = vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(() => {
    throw new Error('a replay opened a socket');
  });
  try {
    await expectReplays(at);
  } finally {
    connect.mockRestore();
  }
});

test('what the log holds after kill -9 under load replays, and so does the next recording', async () => {
  const cwd = emptyDirectory();
  const dataDir = `${cwd}/state`;
  const args = ['--data-dir', dataDir, '--no-rate-limits', '--inventory', '50'];
  const first = await startProcess(cwd, ...args);
  const { domain } = await firstDomain(first.url);
  const load = Array.from({ length: 8 }, async () => {
    for (;;) await post(first.url, `${P}/quotes`, { domain });
  });
  const ended = Promise.allSettled(load);
  await received(first.url, 100);
  // Reading the log writes what it has so far.
  await fetch(`${first.url}/_sandbox/requests?limit=1`);
  await received(first.url, 300);
  await first.end('SIGKILL');
  await ended;
  const second = await startProcess(cwd, ...args);
  for (let n = 0; n < 20; n += 1) await post(second.url, `${P}/quotes`, { domain });
  await second.end('SIGTERM');
  const at = await recordedSandbox({ dataDir });
  const recordings = at.recordings();
  expect(recordings.map(({ ended }) => ended?.reason ?? null)).toEqual([
    'the process was killed',
    'the sandbox stopped',
  ]);
  const [killed = [], next = []] = recordings.map((recording) => at.inputs(recording));
  expect(requestsOf(killed).length).toBeGreaterThan(50);
  expect(requestsOf(next)).toHaveLength(20);
  for (const recording of recordings) await expectSameReplay(at, recording);
});

/** Resolves when the recording of the server has this many requests. */
async function received(url: string, requests: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/_sandbox/status`);
    const { recording } = (await response.json()) as { recording: { requests: number } };
    if (recording.requests >= requests) return;
    await systemRuntime.sleep(5);
  }
}

test('an import of a long file replays with the requests that come while it is read', async () => {
  const at = await recordedSandbox();
  const rows = Array.from({ length: 2_200 }, (_, n) => `zebra${n}.com,1000`);
  const body = `domain,price_cents\n${rows.join('\n')}\n`;
  const search = () => at.call({ method: 'GET', target: '/api/partner/v1/domains/search?q=zebra' });
  const between: Promise<unknown>[] = [];
  const unwatch = at.world.watch(() => {
    if (between.length < 3) between.push(search());
  });
  await at.fetch('/_sandbox/inventory/import?format=csv', { method: 'POST', body });
  unwatch();
  await Promise.all(between);
  await search();
  expect(requestsOf(at.inputs(at.recordings()[0])).length).toBeGreaterThan(4);
  await expectReplays(at);
});

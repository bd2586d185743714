import { load } from './load.mjs';
import { orderRequests } from './orders.mjs';
import { startBare, startReceiver, startReference, startSandlot } from './servers.mjs';
import { PRICING, requestBytes, signedBytes } from './signed.mjs';

const CONNECTIONS = 32;
const SECONDS = 2;
/** A round takes 16 s, and 12,000 domains of each inventory. */
const MAX_ROUNDS = 5;
const FLAGS = { flags: ['--inventory', '100000', '--no-rate-limits'] };

const REFERENCE = 'Hono, signature, a row';
const GETS = ['signed GET, plain domain', 'signed GET, magic domain'];
const POSTS = ['signed POST /orders', 'signed POST /orders, with webhooks'];

/**
 * Measures a bare Hono server, one with signatures that commits a row of SQLite per request, and two sandboxes on disk
 * with their request logs. The partner of one has a webhook at a fast receiver, so every order writes an event and a
 * delivery, and deliveries are sent meanwhile.
 */
export async function* measureThroughput(root, rounds) {
  const servers = await Promise.all([
    startBare(root),
    startReference(root),
    startSandlot(root, FLAGS),
    startSandlot(root, FLAGS),
    startReceiver(root),
  ]);
  const [bare, reference, sandlot, sending, receiver] = servers;
  try {
    await sending.control.put('/webhooks', { url: `${receiver.url}/`, secret: 'whsec_bench' });
    const orders = await orderRequests(sandlot.control);
    const sendingOrders = await orderRequests(sending.control);
    const plain = PRICING.replace('held-order.test', await generatedDomain(sandlot.control));
    const helloGet = requestBytes('GET', '/hello', undefined, {});
    const helloPost = requestBytes('POST', '/hello', '{"domain":"x.com"}', JSON_TYPE);
    const gets = {
      bare: { server: bare, requests: () => () => helloGet },
      [REFERENCE]: { server: reference, requests: signed('GET', PRICING) },
      [GETS[0]]: { server: sandlot, requests: signed('GET', plain) },
      [GETS[1]]: { server: sandlot, requests: signed('GET', PRICING) },
    };
    const posts = {
      bare: { server: bare, requests: () => () => helloPost },
      [REFERENCE]: { server: reference, requests: signed('POST', ORDERS, SALE) },
      [POSTS[0]]: { server: sandlot, requests: () => orders(12_000) },
      [POSTS[1]]: { server: sending, requests: () => sendingOrders(12_000) },
    };
    // Deliveries of one series must not slow the next.
    const settle = () => sending.control.post('/idle', { timeout_ms: 60_000 });
    for (const [verb, series] of Object.entries({ GET: gets, POST: posts })) {
      const { rate, cpu, p99 } = await measureSeries(series, Math.min(rounds, MAX_ROUNDS), settle);
      const title = `${CONNECTIONS} connections, ${verb}`;
      yield { title, unit: '/s', ...tableOf(rate, 'bare') };
      yield { title: `CPU per ${verb}`, unit: 'µs', ...tableOf(cpu, REFERENCE) };
      yield { title: `p99, ${verb}`, unit: 'ms', ...tableOf(p99, REFERENCE) };
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Returns the rows after the baseline. */
function tableOf(samples, baseline) {
  const entries = Object.entries(samples);
  const at = entries.findIndex(([name]) => name === baseline);
  return { base: entries[at], rows: entries.slice(at + 1) };
}

/**
 * Loads servers in alternating rounds.
 * @param series by name: the server, and a function that returns the source of its requests for one round
 * @param settle is called after each load
 * @returns requests per second, CPU time of the server per request in microseconds, and p99 in ms: each by name, an
 *   element per round
 */
async function measureSeries(series, rounds, settle) {
  const names = Object.keys(series);
  const empty = () => Object.fromEntries(names.map((name) => [name, []]));
  const samples = { rate: empty(), cpu: empty(), p99: empty() };
  for (let round = -1; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { server, requests } = series[name];
      const next = await requests();
      const before = server.cpuSeconds();
      const took = await load(server.port, { connections: CONNECTIONS, seconds: SECONDS, next });
      if (took.other > 0) throw new Error(`${name} was answered ${took.firstOther}`);
      // The first round warms up.
      if (round >= 0) {
        samples.rate[name].push(took.ok / took.seconds);
        samples.cpu[name].push(((server.cpuSeconds() - before) * 1e6) / took.ok);
        samples.p99[name].push(took.p99);
      }
      await settle();
    }
  }
  return samples;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const ORDERS = '/api/partner/v1/orders';
const SALE = '{"domain":"held-order.test","expected_price":199900,"currency":"USD"}';

/** Signed in advance: the cost of signing belongs to the client. */
function signed(...request) {
  return () => {
    const ready = Array.from({ length: 60_000 }, () => signedBytes(...request));
    return () => ready.pop();
  };
}

async function generatedDomain(control) {
  const { listings } = await control.get('/inventory', { limit: 1, tld: 'com' });
  return listings[0].domain;
}

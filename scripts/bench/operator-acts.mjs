import { Worker } from 'node:worker_threads';
import { load } from './load.mjs';
import { startSandlot } from './servers.mjs';
import { signedBytes } from './signed.mjs';

/** Time between two requests of the probing client, ms. */
const PROBE_EVERY_MS = 2;

const SETTLED = 10_000;
const IMPORTED = 100_000;
/** Can be sold repeatedly; its orders complete by themselves. */
const SALE = {
  ...{ domain: 'auto-complete.test', expected_price: 199_900, currency: 'USD' },
  buyer: { email: 'a@b.co' },
};

/** In order: the import reads the file that the export writes. */
const ACTS = {
  idle: () => new Promise((resolve) => setTimeout(resolve, 2_000)),
  save: ({ port }) => callControl(port, 'POST', '/snapshots', { name: 'bench', replace: true }),
  fork: ({ port }) => callControl(port, 'POST', '/worlds', { name: 'fork', fork: 'default' }),
  'export of the fork': async (run) => {
    const response = await fetch(`http://127.0.0.1:${run.port}/_sandbox/worlds/fork/export`);
    run.file = await response.blob();
  },
  'delete of the fork': ({ port }) => callControl(port, 'DELETE', '/worlds/fork'),
  'import of the fork': ({ port, file }) =>
    upload(port, '/worlds/import', 'application/vnd.sqlite3', file),
  restore: ({ port }) => callControl(port, 'POST', '/snapshots/bench/restore'),
  reset: ({ port }) => callControl(port, 'POST', '/reset'),
  [`settlement of ${SETTLED} orders`]: ({ port }) =>
    callControl(port, 'POST', '/settlements/run', {}),
  [`inventory import of ${IMPORTED} rows`]: ({ port }) => importRows(port, 'add'),
  'the same as upsert': ({ port }) => importRows(port, 'upsert'),
  'the same as upsert, again': ({ port }) => importRows(port, 'upsert'),
  'the same as replace': ({ port }) => importRows(port, 'replace'),
};

/**
 * Measures each operator action on a world with `inventory` domains, in ms, and the longest response time of a client
 * that sends signed requests meanwhile.
 */
export async function measureOperatorActs(root, inventory, port) {
  const server = await startSandlot(root, port, ['--inventory', String(inventory)]);
  const rows = [];
  try {
    const run = { port, file: undefined };
    for (const [name, act] of Object.entries(ACTS)) {
      if (name.startsWith('settlement')) await completeOrders(port);
      rows.push(await measure(name, port, () => act(run)));
    }
  } finally {
    await server.stop();
  }
  return rows;
}

async function measure(name, port, act) {
  const probe = new Worker(new URL('probe.mjs', import.meta.url), {
    workerData: { port, everyMs: PROBE_EVERY_MS },
  });
  await new Promise((resolve) => probe.once('message', resolve));
  const begun = performance.now();
  await act();
  const took = performance.now() - begun;
  probe.postMessage('stop');
  const { longest, count } = await new Promise((resolve) => probe.once('message', resolve));
  await probe.terminate();
  return { name, took, longest, count };
}

async function completeOrders(port) {
  const body = JSON.stringify(SALE);
  let sent = 0;
  const next = () => {
    sent += 1;
    if (sent > SETTLED) return undefined;
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `settled-${sent}` };
    return signedBytes('POST', '/api/partner/v1/orders', body, headers);
  };
  const { ok, firstOther } = await load(port, { connections: 32, seconds: 60, next });
  if (ok !== SETTLED) throw new Error(`an order got ${firstOther}`);
  await callControl(port, 'POST', '/clock/advance', { by: '1m' });
}

function importRows(port, mode) {
  const rows = Array.from({ length: IMPORTED }, (_, n) => `bench-${n}.com,${1_000 + n}`);
  // The probe must still find its domain.
  if (mode === 'replace') rows.push('held-order.test,250000');
  const csv = `domain,price_cents\n${rows.join('\n')}\n`;
  return upload(port, `/inventory/import?mode=${mode}`, 'text/csv', csv);
}

async function upload(port, path, type, body) {
  const url = `http://127.0.0.1:${port}/_sandbox${path}`;
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': type }, body });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

export async function callControl(port, method, path, body) {
  const init = body && {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`http://127.0.0.1:${port}/_sandbox${path}`, { method, ...init });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}

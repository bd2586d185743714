import { Worker } from 'node:worker_threads';
import { startSandlot } from './servers.mjs';

/** Time between two requests of the probing client, ms. */
const PROBE_EVERY_MS = 2;

const ACTS = {
  idle: () => new Promise((resolve) => setTimeout(resolve, 2_000)),
  save: (call) => call('POST', '/snapshots', { name: 'bench', replace: true }),
  fork: (call) => call('POST', '/worlds', { name: 'fork', fork: 'default' }),
  'delete of the fork': (call) => call('DELETE', '/worlds/fork'),
  restore: (call) => call('POST', '/snapshots/bench/restore'),
  reset: (call) => call('POST', '/reset'),
};

/**
 * Milliseconds of each operator's act on a world with `inventory` domains, and the longest response time of a client
 * that sends signed requests meanwhile.
 */
export async function measureOperatorActs(root, inventory, port) {
  const server = await startSandlot(root, port, ['--inventory', String(inventory)]);
  const rows = [];
  try {
    for (const [name, act] of Object.entries(ACTS)) {
      rows.push(await measure(name, port, () => act((...args) => callControl(port, ...args))));
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

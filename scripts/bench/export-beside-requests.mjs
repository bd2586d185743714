import http from 'node:http';
import { load } from './load.mjs';
import { startSandlot } from './servers.mjs';
import { PRICING, signedBytes, signedGet } from './signed.mjs';

const RECORDED = 4_500;
const ALONE_MS = 2_000;
const PROBE_EVERY_MS = 2;

/** The p99 in ms of requests of one client, alone and during exports of a recording, in alternating rounds. */
export async function measureExportBesideRequests(root, rounds) {
  const { port, stop } = await startSandlot(root, 22_400);
  const agent = new http.Agent({ keepAlive: true });
  const samples = { alone: [], during: [] };
  try {
    const ready = Array.from({ length: RECORDED }, () => signedBytes('GET', PRICING));
    // Few connections: more requests than are stored end a recording.
    await load(port, { connections: 2, seconds: 60, next: () => ready.pop() });
    const [{ request_id: request }] = await newest(port);
    const get = () => requestOnce({ ...signedGet(port), agent });
    for (let round = 0; round < rounds; round += 1) {
      samples.alone.push(await p99While(get, delay(ALONE_MS)));
      samples.during.push(await p99While(get, exportOnce(port, request)));
    }
    return samples;
  } finally {
    agent.destroy();
    await stop();
  }
}

async function newest(port) {
  const response = await fetch(`http://127.0.0.1:${port}/_sandbox/requests?limit=1`);
  return (await response.json()).requests;
}

async function exportOnce(port, request) {
  const response = await fetch(`http://127.0.0.1:${port}/_sandbox/repro/export`, {
    method: 'POST',
    body: JSON.stringify({ request }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

async function p99While(act, other) {
  const took = [];
  let isDone = false;
  const ended = other.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const begun = performance.now();
    await act();
    took.push(performance.now() - begun);
    await delay(PROBE_EVERY_MS);
  }
  await ended;
  took.sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.99)];
}

function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function requestOnce(options) {
  return new Promise((resolve, reject) => {
    http.get(options, (response) => response.resume().on('end', resolve)).on('error', reject);
  });
}

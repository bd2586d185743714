import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { signedGet } from './signed.mjs';

const POLL_MS = 1;
const GIVE_UP_MS = 20_000;

/**
 * Measures the time from spawn to the first 200, in ms and alternating rounds: a bare Hono server, sandlot with a fresh
 * state, and sandlot on that state after a restart.
 */
export async function measureColdStart(root, rounds) {
  const samples = { bare: [], fresh: [], warm: [] };
  const bare = path.join(root, 'scripts/bench/bare-hono.mjs');
  const sandlot = path.join(root, 'bin/sandlot.cjs');
  for (let round = -1; round < rounds; round += 1) {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
    const start = (port) => [sandlot, 'start', '--port', String(port), '--data-dir', dataDir];
    const took = {
      bare: await timeToFirst200(
        (port) => [bare, String(port)],
        (port) => ({ port, path: '/hello' }),
      ),
      fresh: await timeToFirst200(start, signedGet),
      warm: await timeToFirst200(start, signedGet),
    };
    fs.rmSync(dataDir, { recursive: true });
    // The first round fills caches.
    if (round >= 0) for (const name of Object.keys(samples)) samples[name].push(took[name]);
  }
  return samples;
}

let nextPort = 21_000 + (process.pid % 1_000);

async function timeToFirst200(argsFor, requestFor) {
  const port = nextPort++;
  const begun = performance.now();
  const child = spawn(process.execPath, argsFor(port), { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    let status;
    while (status !== 200) {
      status = await statusOf(requestFor(port));
      if (performance.now() - begun > GIVE_UP_MS)
        throw new Error(`${argsFor(port)[0]} never answered 200 (last: ${status})`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return performance.now() - begun;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

function statusOf(options) {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', () => resolve(undefined));
  });
}

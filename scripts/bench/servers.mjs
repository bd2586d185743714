import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { ControlClient } from '../../src/client/control-client.ts';
import { signedGet } from './signed.mjs';

const POLL_MS = 1;
const GIVE_UP_MS = 120_000;
/** Clock ticks per second on Linux. */
const TICKS = 100;

let nextPort = 21_000 + (process.pid % 1_000);

export function emptyFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
  return { path: folder, remove: () => fs.rmSync(folder, { recursive: true }) };
}

/** Starts a sandbox in its own process; without `dataDir`, with its own state. */
export function startSandlot(root, { dataDir, flags = [] } = {}) {
  const state = dataDir === undefined ? emptyFolder() : { path: dataDir, remove: () => {} };
  const script = path.join(root, 'bin/sandlot.cjs');
  const args = (port) => ['start', '--port', port, '--data-dir', state.path, ...flags];
  return start(script, args, signedGet, state.remove);
}

export function startBare(root) {
  return start(path.join(root, 'scripts/bench/bare-hono.mjs'), (port) => [port], hello);
}

/** Starts a bare server with signatures and SQLite, with its own database. */
export function startReference(root) {
  const state = emptyFolder();
  const script = path.join(root, 'scripts/bench/signed-reference.mjs');
  const args = (port) => [port, path.join(state.path, 'reference.db')];
  return start(script, args, hello, state.remove);
}

/** Starts a server that responds to each request at once. */
export function startReceiver(root) {
  return start(path.join(root, 'scripts/bench/receiver.mjs'), (port) => [port], hello);
}

function hello() {
  return { path: '/hello', headers: {} };
}

/** Starts a server and requests it until it responds with 200. */
async function start(script, argsFor, requestFor, afterStop = () => {}) {
  const port = nextPort++;
  const begun = performance.now();
  const child = spawn(process.execPath, [script, ...argsFor(String(port))], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let status;
  while (status !== 200) {
    status = await statusOf({ port, ...requestFor() });
    if (performance.now() - begun > GIVE_UP_MS || child.exitCode !== null)
      throw new Error(`${script} did not start (last: ${status})`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const url = `http://127.0.0.1:${port}`;
  return {
    port,
    url,
    /** Only for a sandbox. */
    control: new ControlClient({ baseUrl: url, fetch }),
    /** Time from spawn to the first 200. */
    startMs: performance.now() - begun,
    /** Resident memory; NaN if the system does not report it. */
    megabytes: () => Number(/VmRSS:\s+(\d+)/.exec(told(child, 'status'))?.[1]) / 1_024,
    /** CPU time so far; NaN if the system does not report it. */
    cpuSeconds: () => {
      const fields = told(child, 'stat').split(') ').at(-1).split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      afterStop();
    },
  };
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

/** Returns what Linux tells of a process. */
function told({ pid }, name) {
  const file = `/proc/${pid}/${name}`;
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { ControlClient } from '../../src/client/control-client.ts';
import { signedGet } from './signed.mjs';

const POLL_MS = 1;
const START_TIMEOUT_MS = 120_000;
/** On Linux. */
const TICKS_PER_SECOND = 100;

let nextPort = 21_000 + (process.pid % 1_000);

export function emptyFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
  return { path: folder, remove: () => fs.rmSync(folder, { recursive: true }) };
}

/** Starts a sandbox in its own process; without `dataDir`, in an empty state folder. */
export function startSandlot(root, { dataDir, flags = [] } = {}) {
  const state = dataDir === undefined ? emptyFolder() : { path: dataDir, remove: () => {} };
  const script = path.join(root, 'bin/sandlot.cjs');
  const args = (port) => ['start', '--port', port, '--data-dir', state.path, ...flags];
  return start(script, args, signedGet, state.remove);
}

export function startBare(root) {
  return start(path.join(root, 'scripts/bench/bare-hono.mjs'), (port) => [port], helloRequest);
}

/** Starts a bare server with signatures and SQLite, with its own database. */
export function startReference(root) {
  const state = emptyFolder();
  const script = path.join(root, 'scripts/bench/signed-reference.mjs');
  const args = (port) => [port, path.join(state.path, 'reference.db')];
  return start(script, args, helloRequest, state.remove);
}

/** Starts a webhook receiver that responds without delay. */
export function startReceiver(root) {
  return start(path.join(root, 'scripts/bench/receiver.mjs'), (port) => [port], helloRequest);
}

function helloRequest() {
  return { path: '/hello', headers: {} };
}

/** Starts a server and requests it until it responds with 200. */
async function start(script, argsFor, requestFor, afterStop = () => {}) {
  const port = nextPort++;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [script, ...argsFor(String(port))], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let status;
  while (status !== 200) {
    status = await statusOf({ port, ...requestFor() });
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (hasEnded || performance.now() - startedAt > START_TIMEOUT_MS) {
      child.kill('SIGKILL');
      throw new Error(`${script} did not start (last status: ${status})`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const url = `http://127.0.0.1:${port}`;
  return {
    port,
    url,
    /** Only for a sandbox. */
    control: new ControlClient({ baseUrl: url, fetch }),
    /** Time from spawn to the first 200. */
    startMs: performance.now() - startedAt,
    /** Resident memory; NaN if the system does not report it. */
    megabytes: () => Number(/VmRSS:\s+(\d+)/.exec(readProc(child, 'status'))?.[1]) / 1_024,
    /** CPU time so far; NaN if the system does not report it. */
    cpuSeconds: () => {
      // utime and stime of proc(5).
      const fields = readProc(child, 'stat').split(') ').at(-1).split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
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

/** Reads a file of `/proc/PID`; empty if the system has none. */
function readProc({ pid }, name) {
  const file = `/proc/${pid}/${name}`;
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

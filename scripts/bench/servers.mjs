import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Starts a sandbox in its own process, with its own state. */
export async function startSandlot(root, port, flags = []) {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
  const args = ['start', '--port', String(port), '--data-dir', dataDir, '--no-rate-limits'];
  const server = await start(path.join(root, 'bin/sandlot.cjs'), [...args, ...flags], {
    port,
    path: '/_sandbox/health',
  });
  const stop = async () => {
    await server.stop();
    fs.rmSync(dataDir, { recursive: true });
  };
  return { ...server, stop };
}

export function startBare(root, port) {
  return start(path.join(root, 'scripts/bench/bare-hono.mjs'), [String(port)], {
    port,
    path: '/hello',
  });
}

/** Starts a bare server with signatures and SQLite, with its own database. */
export async function startReference(root, port) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
  const script = path.join(root, 'scripts/bench/signed-reference.mjs');
  const args = [String(port), path.join(dir, 'reference.db')];
  const server = await start(script, args, { port, path: '/hello' });
  const stop = async () => {
    await server.stop();
    fs.rmSync(dir, { recursive: true });
  };
  return { ...server, stop };
}

/** Starts a server that responds to each POST at once; a GET returns their number. */
export async function startReceiver(root, port) {
  const script = path.join(root, 'scripts/bench/receiver.mjs');
  const receiver = await start(script, [String(port)], { port, path: '/' });
  return { ...receiver, url: `http://127.0.0.1:${port}/` };
}

async function start(script, args, ready) {
  const child = spawn(process.execPath, [script, ...args], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${ready.port}${ready.path}`;
  for (
    let tries = 0;
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ));
    tries += 1
  ) {
    if (tries > 12_000 || child.exitCode !== null) throw new Error(`${script} did not start`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    port: ready.port,
    /** Resident memory in MB; undefined if the system does not report it. */
    megabytes: () => residentMegabytes(child.pid),
    /** CPU time so far, in seconds; undefined if the system does not report it. */
    cpuSeconds: () => cpuSeconds(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Clock ticks per second on Linux. */
const TICKS = 100;

function cpuSeconds(pid) {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return undefined;
  }
}

function residentMegabytes(pid) {
  try {
    const [, kilobytes] =
      /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return undefined;
  }
}

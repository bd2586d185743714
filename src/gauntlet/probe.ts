import { type ChildProcess, spawn } from 'node:child_process';
import { childEnvironment } from '../kernel/child-environment.ts';
import type { Runtime } from '../kernel/runtime.ts';

/** What the probe printed; a whole number is a count. */
export interface Reading {
  text: string;
  count: number | null;
}

export interface ProbeFailure {
  problem: string;
}

/** What a probe finds in its environment as `GAUNTLET_…`. */
export interface ProbeSubject {
  check: string;
  event: string;
  order: string;
}

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const NOT_FOUND = 127;

/** Runs the user's command that prints the effects so far. */
export class Probe {
  readonly #command: string;
  readonly #runtime: Runtime;
  readonly #cwd: string | undefined;
  readonly #running = new Set<ChildProcess>();

  constructor(command: string, runtime: Runtime, cwd: string | undefined) {
    this.#command = command;
    this.#runtime = runtime;
    this.#cwd = cwd;
  }

  /** Ends the commands that still run. */
  close(): void {
    for (const child of this.#running) killGroup(child);
  }

  read(subject: ProbeSubject): Promise<Reading | ProbeFailure> {
    return new Promise((resolve) => {
      const child = spawn(this.#command, {
        shell: true,
        cwd: this.#cwd,
        // A group of its own, so that everything it starts can be ended with it.
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: childEnvironment({
          GAUNTLET_CHECK: subject.check,
          GAUNTLET_EVENT: subject.event,
          GAUNTLET_ORDER: subject.order,
        }),
      });
      this.#running.add(child);
      const output: Buffer[] = [];
      let bytes = 0;
      const finish = (result: Reading | ProbeFailure) => {
        cancel();
        if (this.#running.delete(child)) killGroup(child);
        resolve(result);
      };
      const cancel = this.#runtime.after(TIMEOUT_MS, () =>
        finish({ problem: 'the probe did not end within 10 s' }),
      );
      child.stdout?.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_OUTPUT_BYTES) finish({ problem: 'the probe printed more than 1 MB' });
        else output.push(chunk);
      });
      child.once('error', (error) =>
        finish({ problem: `the probe did not start: ${error.message}` }),
      );
      child.once('close', (code, signal) => {
        if (code === 0) finish(readingOf(Buffer.concat(output).toString()));
        else if (code === NOT_FOUND) finish({ problem: 'the probe command was not found' });
        else finish({ problem: `the probe ended with ${signal ?? `exit code ${code}`}` });
      });
    });
  }
}

export function isFailure(reading: Reading | ProbeFailure): reading is ProbeFailure {
  return 'problem' in reading;
}

function readingOf(output: string): Reading {
  const text = output.trim();
  return { text, count: /^-?\d{1,15}$/.test(text) ? Number(text) : null };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') {
      if (child.exitCode === null) {
        spawn('taskkill', ['/PID', String(child.pid), '/T', '/F'], {
          stdio: 'ignore',
          windowsHide: true,
        });
      }
    } else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

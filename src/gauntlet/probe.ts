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

/** What a probe is about: a command finds it in its environment as `GAUNTLET_…`. */
export interface ProbeSubject {
  check: string;
  event: string;
  order: string;
}

/** Returns the effects so far: a count, or any text. */
export type ProbeFunction = (subject: ProbeSubject) => string | number | Promise<string | number>;

export interface Probe {
  read(subject: ProbeSubject): Promise<Reading | ProbeFailure>;
  /** Ends what is still running. */
  close(): void;
}

export function openProbe(
  probe: string | ProbeFunction,
  runtime: Runtime,
  cwd: string | undefined,
): Probe {
  return typeof probe === 'string'
    ? new CommandProbe(probe, runtime, cwd)
    : new FunctionProbe(probe, runtime);
}

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const NOT_FOUND = 127;
const TIMED_OUT: ProbeFailure = { problem: 'the probe did not end within 10 s' };

/** Calls the user's function in this process. */
class FunctionProbe implements Probe {
  readonly #probe: ProbeFunction;
  readonly #runtime: Runtime;

  constructor(probe: ProbeFunction, runtime: Runtime) {
    this.#probe = probe;
    this.#runtime = runtime;
  }

  close(): void {}

  read(subject: ProbeSubject): Promise<Reading | ProbeFailure> {
    return new Promise((resolve) => {
      const cancel = this.#runtime.after(TIMEOUT_MS, () => resolve(TIMED_OUT));
      Promise.resolve(subject)
        .then(this.#probe)
        .then(
          (value) => readingOf(String(value)),
          (error: unknown) => ({
            problem: `the probe threw: ${error instanceof Error ? error.message : String(error)}`,
          }),
        )
        .then(resolve)
        .finally(cancel);
    });
  }
}

/** Runs the user's command that prints the effects so far. */
class CommandProbe implements Probe {
  readonly #command: string;
  readonly #runtime: Runtime;
  readonly #cwd: string | undefined;
  readonly #running = new Set<ChildProcess>();

  constructor(command: string, runtime: Runtime, cwd: string | undefined) {
    this.#command = command;
    this.#runtime = runtime;
    this.#cwd = cwd;
  }

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
      const cancel = this.#runtime.after(TIMEOUT_MS, () => finish(TIMED_OUT));
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

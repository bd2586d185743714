import { type ChildProcess, spawn } from 'node:child_process';
import { childEnvironment, type Runtime } from '../../kernel/runtime.ts';

interface CommandOptions {
  environment: Record<string, string>;
  cwd: string | undefined;
  runtime: Runtime;
  /** In ms. */
  timeout: number;
  signal?: AbortSignal;
}

/** The output of a command, or why it did not end with exit code 0: `ended with exit code 3`. */
export type CommandResult = { output: string } | { problem: string };

const MAX_OUTPUT_BYTES = 1024 * 1024;
const NOT_FOUND = 127;
/** A process that left the group of an ended command keeps its output open; what was printed before is read by then. */
const OUTPUT_AFTER_EXIT_MS = 500;

/** Runs a shell command of the user, and ends everything that it started when it ends. */
export function runCommand(command: string, options: CommandOptions): Promise<CommandResult> {
  const { environment, cwd, runtime, timeout, signal } = options;
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      cwd,
      // In its own process group, so that its child processes can be ended with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: childEnvironment(environment),
    });
    const output: Buffer[] = [];
    let bytes = 0;
    let ended = false;
    const finish = (result: CommandResult) => {
      if (ended) return;
      ended = true;
      cancel();
      signal?.removeEventListener('abort', interrupt);
      killGroup(child);
      child.stdout.destroy();
      resolve(result);
    };
    const interrupt = () => finish({ problem: 'was interrupted' });
    let cancel = runtime.after(timeout, () =>
      finish({ problem: `did not end within ${timeout / 1_000} s` }),
    );
    signal?.addEventListener('abort', interrupt);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) finish({ problem: 'printed more than 1 MB' });
      else output.push(chunk);
    });
    child.once('error', (error) => finish({ problem: `did not start: ${error.message}` }));
    child.once('exit', (code, killedBy) => {
      const report = () => {
        if (code === 0) finish({ output: Buffer.concat(output).toString() });
        else if (code === NOT_FOUND) finish({ problem: 'was not found' });
        else finish({ problem: `ended with ${killedBy ?? `exit code ${code}`}` });
      };
      cancel();
      cancel = runtime.after(OUTPUT_AFTER_EXIT_MS, report);
      child.once('close', report);
      // A background process would keep the output open.
      killGroup(child);
    });
    if (signal?.aborted) interrupt();
  });
}

export async function callFunction(
  act: () => unknown,
  { runtime, timeout, signal }: Pick<CommandOptions, 'runtime' | 'timeout' | 'signal'>,
): Promise<CommandResult> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  signal?.addEventListener('abort', interrupt);
  const late = runtime
    .sleep(timeout, stop.signal)
    .then(() => ({ problem: `did not return within ${timeout / 1_000} s` }));
  const called = Promise.resolve()
    .then(act)
    .then(
      (value) => ({ output: String(value) }),
      (error: unknown) => ({
        problem: `threw: ${error instanceof Error ? error.message : String(error)}`,
      }),
    );
  return Promise.race([called, late]).finally(() => {
    signal?.removeEventListener('abort', interrupt);
    stop.abort();
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') {
      if (child.exitCode === null) {
        const args = ['/PID', String(child.pid), '/T', '/F'];
        spawn('taskkill', args, { stdio: 'ignore', windowsHide: true });
      }
    } else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

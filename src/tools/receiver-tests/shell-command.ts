import { spawn } from 'node:child_process';
import { childEnvironment, type Runtime } from '../../kernel/runtime.ts';
import { killGroup, OWN_GROUP } from '../kill-group.ts';
import type { Action } from './options.ts';

interface ActionOptions {
  /** For a command. */
  environment: Record<string, string>;
  cwd: string | undefined;
  runtime: Runtime;
  /** In ms. */
  timeout: number;
  signal: AbortSignal;
}

/** The output of an action, or why it failed: `ended with exit code 3`. */
export type ActionResult = { output: string } | { problem: string };

const MAX_OUTPUT_BYTES = 1024 * 1024;
const NOT_FOUND = 127;
/** A process that left the group of an ended command can keep the output open. Output is read until then. */
const OUTPUT_AFTER_EXIT_MS = 500;

/** Runs a shell command or calls a function of the user. */
export function runAction(action: Action, options: ActionOptions): Promise<ActionResult> {
  return typeof action === 'string' ? runCommand(action, options) : callFunction(action, options);
}

/** Runs a command. When it ends, also ends all processes that it started. */
function runCommand(command: string, options: ActionOptions): Promise<ActionResult> {
  const { environment, cwd, runtime, timeout, signal } = options;
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      cwd,
      ...OWN_GROUP,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: childEnvironment(environment),
    });
    const output: Buffer[] = [];
    let bytes = 0;
    let isFinished = false;
    const finish = (result: ActionResult) => {
      if (isFinished) return;
      isFinished = true;
      cancel();
      signal.removeEventListener('abort', interrupt);
      killGroup(child);
      child.stdout.destroy();
      resolve(result);
    };
    const interrupt = () => finish({ problem: 'was interrupted' });
    let cancel = runtime.after(timeout, () =>
      finish({ problem: `did not end within ${timeout / 1_000} s` }),
    );
    signal.addEventListener('abort', interrupt);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) finish({ problem: 'printed more than 1 MB' });
      else output.push(chunk);
    });
    child.once('error', (error) => finish({ problem: `did not start: ${error.message}` }));
    child.once('exit', (code, signalName) => {
      const report = () => {
        if (code === 0) finish({ output: Buffer.concat(output).toString() });
        else if (code === NOT_FOUND) finish({ problem: 'was not found' });
        else finish({ problem: `ended with ${signalName ?? `exit code ${code}`}` });
      };
      cancel();
      cancel = runtime.after(OUTPUT_AFTER_EXIT_MS, report);
      child.once('close', report);
      // A background process could keep the output open.
      killGroup(child);
    });
    if (signal.aborted) interrupt();
  });
}

async function callFunction(
  act: () => unknown,
  { runtime, timeout, signal }: ActionOptions,
): Promise<ActionResult> {
  const stop = new AbortController();
  const timedOut = runtime
    .sleep(timeout, AbortSignal.any([stop.signal, signal]))
    .then(() => ({ problem: `did not return within ${timeout / 1_000} s` }));
  const result = Promise.resolve()
    .then(act)
    .then(
      (value) => ({ output: String(value) }),
      (error: unknown) => ({
        problem: `threw: ${error instanceof Error ? error.message : String(error)}`,
      }),
    );
  return Promise.race([result, timedOut]).finally(() => stop.abort());
}

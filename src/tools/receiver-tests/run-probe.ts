import { spawn } from 'node:child_process';
import { childEnvironment, type Runtime } from '../../kernel/runtime.ts';
import { killGroup, OWN_GROUP } from '../kill-group.ts';
import type { ProbeFunction, ProbeSubject } from './options.ts';

interface ProbeContext {
  /** For a command. */
  cwd: string | undefined;
  runtime: Runtime;
  signal: AbortSignal;
}

/** The output of a probe, or why it failed: `ended with exit code 3`. */
type ProbeOutput = { output: string } | { problem: string };

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const NOT_FOUND = 127;
/** A process that left the group of an ended command can keep the output open. Output is read until then. */
const OUTPUT_AFTER_EXIT_MS = 500;

/** Runs the shell command or calls the function of the user. */
export function runProbe(
  probe: string | ProbeFunction,
  subject: ProbeSubject,
  context: ProbeContext,
): Promise<ProbeOutput> {
  return typeof probe === 'string'
    ? runCommand(probe, subject, context)
    : callFunction(() => probe(subject), context);
}

/** Runs a command. When it ends, also ends all processes that it started. */
function runCommand(
  command: string,
  { check, event, order }: ProbeSubject,
  { cwd, runtime, signal }: ProbeContext,
): Promise<ProbeOutput> {
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      cwd,
      ...OWN_GROUP,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: childEnvironment({
        SANDLOT_TEST_CHECK: check,
        SANDLOT_TEST_EVENT: event,
        SANDLOT_TEST_ORDER: order,
      }),
    });
    const output: Buffer[] = [];
    let bytes = 0;
    let isFinished = false;
    const finish = (result: ProbeOutput) => {
      if (isFinished) return;
      isFinished = true;
      cancel();
      signal.removeEventListener('abort', interrupt);
      killGroup(child);
      child.stdout.destroy();
      resolve(result);
    };
    const interrupt = () => finish({ problem: 'was interrupted' });
    let cancel = runtime.after(TIMEOUT_MS, () => finish({ problem: 'did not end within 10 s' }));
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
  probe: () => unknown,
  { runtime, signal }: ProbeContext,
): Promise<ProbeOutput> {
  const stop = new AbortController();
  const timedOut = runtime
    .sleep(TIMEOUT_MS, AbortSignal.any([stop.signal, signal]))
    .then(() => ({ problem: 'did not return within 10 s' }));
  const result = Promise.resolve()
    .then(probe)
    .then(
      (value) => ({ output: String(value) }),
      (error: unknown) => ({
        problem: `threw: ${error instanceof Error ? error.message : String(error)}`,
      }),
    );
  return Promise.race([result, timedOut]).finally(() => stop.abort());
}

import { type ExecException, exec } from 'node:child_process';
import { childEnvironment, type Runtime } from '../../kernel/runtime.ts';
import type { ProbeFunction, ProbeSubject } from './options.ts';

/** The output of a probe, or why it failed: `ended with exit code 3`. */
type ProbeOutput = { output: string } | { problem: string };

const TIMEOUT_MS = 10_000;
const NOT_FOUND = 127;

interface ProbeContext {
  /** For a command. */
  cwd: string | undefined;
  runtime: Runtime;
  signal: AbortSignal;
}

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

function runCommand(
  command: string,
  { check, event, order }: ProbeSubject,
  { cwd, signal }: ProbeContext,
): Promise<ProbeOutput> {
  const env = childEnvironment({
    SANDLOT_TEST_CHECK: check,
    SANDLOT_TEST_EVENT: event,
    SANDLOT_TEST_ORDER: order,
  });
  const options = { cwd, env, signal, timeout: TIMEOUT_MS, windowsHide: true };
  return new Promise((resolve) => {
    exec(command, options, (error, output) =>
      resolve(error ? { problem: problemOf(error) } : { output }),
    );
  });
}

function problemOf({ code, killed, signal, message }: ExecException): string {
  // Node.js declares the code of an exit only.
  const reason: unknown = code;
  if (reason === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed more than 1 MB';
  if (killed) return 'did not end within 10 s';
  if (code === NOT_FOUND) return 'was not found';
  if (signal) return `ended with ${signal}`;
  return typeof reason === 'number'
    ? `ended with exit code ${reason}`
    : `did not start: ${message}`;
}

async function callFunction(
  probe: () => unknown,
  { runtime, signal }: ProbeContext,
): Promise<ProbeOutput> {
  const stop = new AbortController();
  const timedOut = runtime
    .sleep(TIMEOUT_MS, AbortSignal.any([stop.signal, signal]))
    .then(() => ({ problem: 'did not return within 10 s' }));
  const called = (async () => ({ output: String(await probe()) }))().catch((error: unknown) => ({
    problem: `threw: ${error instanceof Error ? error.message : String(error)}`,
  }));
  return Promise.race([called, timedOut]).finally(() => stop.abort());
}

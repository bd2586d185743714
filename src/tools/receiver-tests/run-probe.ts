import { type ExecException, exec } from 'node:child_process';
import { messageOf } from '../../kernel/errors.ts';
import { childEnvironment, resolvesWithin, systemRuntime } from '../../kernel/runtime.ts';
import type { ProbeFunction, ProbeSubject, ReceiverTestOptions } from './options.ts';

const TIMEOUT_MS = 10_000;
const TIMED_OUT = 'did not end within 10 s';
const EXIT_COMMAND_NOT_FOUND = 127;

type ProbeResult = { output: string } | { problem: string };

/** Runs the probe, which must be set. @returns its output, or a problem; any, if `signal` aborts */
export async function runProbe(
  { probe = '', cwd, signal }: Pick<ReceiverTestOptions, 'probe' | 'cwd'> & { signal: AbortSignal },
  subject: ProbeSubject,
): Promise<ProbeResult> {
  if (typeof probe === 'function') {
    const result = callProbe(probe, subject);
    const hasEnded = await resolvesWithin(result, TIMEOUT_MS, { runtime: systemRuntime, signal });
    return hasEnded ? result : { problem: `the probe ${TIMED_OUT}` };
  }
  const env = childEnvironment({
    SANDLOT_TEST_CHECK: subject.check,
    SANDLOT_TEST_EVENT: subject.event,
    SANDLOT_TEST_ORDER: subject.order,
  });
  const options = { cwd, env, signal, timeout: TIMEOUT_MS, windowsHide: true };
  return new Promise((resolve) => {
    exec(probe, options, (error, output) =>
      resolve(error ? { problem: `the probe command ${problemOf(error)}` } : { output }),
    );
  });
}

async function callProbe(probe: ProbeFunction, subject: ProbeSubject): Promise<ProbeResult> {
  try {
    return { output: String(await probe(subject)) };
  } catch (error) {
    return { problem: `the probe threw: ${messageOf(error)}` };
  }
}

function problemOf({ code, killed, signal, message }: ExecException): string {
  if (killed) return TIMED_OUT;
  if (code === EXIT_COMMAND_NOT_FOUND) return 'was not found';
  if (signal) return `ended with ${signal}`;
  return typeof code === 'number' ? `ended with exit code ${code}` : `failed: ${message}`;
}

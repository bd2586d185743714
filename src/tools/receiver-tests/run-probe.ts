import { type ExecException, exec } from 'node:child_process';
import { childEnvironment } from '../../kernel/runtime.ts';
import type { ProbeSubject, ReceiverTestOptions } from './options.ts';

const TIMEOUT_MS = 10_000;
const EXIT_COMMAND_NOT_FOUND = 127;

/** Runs the shell command or calls the function of the user. @returns the output, or a problem: `the probe threw: no database` */
export async function runProbe(
  { probe, cwd, signal }: Pick<ReceiverTestOptions, 'probe' | 'cwd' | 'signal'>,
  subject: ProbeSubject,
): Promise<{ output: string } | { problem: string }> {
  if (typeof probe !== 'function') {
    const env = childEnvironment({
      SANDLOT_TEST_CHECK: subject.check,
      SANDLOT_TEST_EVENT: subject.event,
      SANDLOT_TEST_ORDER: subject.order,
    });
    const options = { cwd, env, signal, timeout: TIMEOUT_MS, windowsHide: true };
    return new Promise((resolve) => {
      exec(probe ?? '', options, (error, output) =>
        resolve(error ? { problem: `the probe command ${problemOf(error)}` } : { output }),
      );
    });
  }
  try {
    return { output: String(await probe(subject)) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: `the probe threw: ${message}` };
  }
}

function problemOf({ code, killed, signal, message }: ExecException): string {
  if (killed) return 'did not end within 10 s';
  if (code === EXIT_COMMAND_NOT_FOUND) return 'was not found';
  if (signal) return `ended with ${signal}`;
  return typeof code === 'number' ? `ended with exit code ${code}` : `failed: ${message}`;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { endsWithin, shellOptions } from '../../kernel/child-process.ts';
import { messageOf } from '../../kernel/errors.ts';
import { resolvesWithin } from '../../kernel/runtime.ts';
import type { ProbeFunction, ProbeSubject, ReceiverTestOptions } from './options.ts';

const TIMEOUT_MS = 10_000;
const TIMED_OUT = 'did not end within 10 s';
const MAX_OUTPUT = 1024 * 1024;
const EXIT_COMMAND_NOT_FOUND = 127;

type ProbeResult = { output: string } | { problem: string };
type Limits = Required<Pick<ReceiverTestOptions, 'runtime' | 'signal'>>;

/** Runs the probe, which must be set. @returns its output, or a problem; meaningless if `signal` has aborted */
export async function runProbe(
  { probe = '', cwd, ...limits }: Pick<ReceiverTestOptions, 'probe' | 'cwd'> & Limits,
  subject: ProbeSubject,
): Promise<ProbeResult> {
  if (typeof probe === 'function') {
    const result = callProbe(probe, subject);
    const hasEnded = await resolvesWithin(result, TIMEOUT_MS, limits);
    return hasEnded ? result : { problem: `the probe ${TIMED_OUT}` };
  }
  const options = shellOptions(cwd, {
    SANDLOT_TEST_CHECK: subject.check,
    SANDLOT_TEST_EVENT: subject.event,
    SANDLOT_TEST_ORDER: subject.order,
  });
  const child = spawn(probe, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length <= MAX_OUTPUT) output += text;
  });
  const problem = await endsWithin(child, TIMEOUT_MS, limits).then(
    (hasEnded) => (hasEnded ? problemOf(child, output) : TIMED_OUT),
    (error: unknown) => `failed: ${messageOf(error)}`,
  );
  return problem === undefined ? { output } : { problem: `the probe command ${problem}` };
}

async function callProbe(probe: ProbeFunction, subject: ProbeSubject): Promise<ProbeResult> {
  try {
    return { output: String(await probe(subject)) };
  } catch (error) {
    return { problem: `the probe threw: ${messageOf(error)}` };
  }
}

function problemOf({ exitCode, signalCode }: ChildProcess, output: string): string | undefined {
  if (exitCode === EXIT_COMMAND_NOT_FOUND) return 'was not found';
  if (signalCode) return `ended with ${signalCode}`;
  if (exitCode !== 0) return `ended with exit code ${exitCode}`;
  return output.length > MAX_OUTPUT ? 'printed more than 1 MiB' : undefined;
}

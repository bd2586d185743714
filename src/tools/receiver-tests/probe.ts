import type { Runtime } from '../../kernel/runtime.ts';
import { callFunction, runCommand } from './shell-command.ts';

/** Output of the probe; a whole number is a count. */
export interface Reading {
  text: string;
  count: number | null;
}

export interface ProbeFailure {
  problem: string;
}

/** The subject of a reading, which a command finds in its environment as `SANDLOT_TEST_…`. */
interface ProbeSubject {
  check: string;
  event: string;
  order: string;
}

/** Returns the effects so far: a count, or any text. */
export type ProbeFunction = (subject: ProbeSubject) => string | number | Promise<string | number>;

export interface Probe {
  read(subject: ProbeSubject): Promise<Reading | ProbeFailure>;
  close(): void;
}

const TIMEOUT_MS = 10_000;

/** @param cwd folder in which a command runs */
export function openProbe(
  probe: string | ProbeFunction,
  runtime: Runtime,
  cwd: string | undefined,
): Probe {
  return typeof probe === 'string'
    ? commandProbe(probe, runtime, cwd)
    : functionProbe(probe, runtime);
}

function commandProbe(command: string, runtime: Runtime, cwd: string | undefined): Probe {
  const closed = new AbortController();
  return {
    close: () => closed.abort(),
    async read({ check, event, order }) {
      const result = await runCommand(command, {
        environment: {
          SANDLOT_TEST_CHECK: check,
          SANDLOT_TEST_EVENT: event,
          SANDLOT_TEST_ORDER: order,
        },
        cwd,
        runtime,
        timeout: TIMEOUT_MS,
        signal: closed.signal,
      });
      if ('output' in result) return readingOf(result.output);
      return { problem: `the probe command ${result.problem}` };
    },
  };
}

function functionProbe(probe: ProbeFunction, runtime: Runtime): Probe {
  const closed = new AbortController();
  return {
    close: () => closed.abort(),
    async read(subject) {
      const { signal } = closed;
      const result = await callFunction(() => probe(subject), {
        runtime,
        timeout: TIMEOUT_MS,
        signal,
      });
      if ('output' in result) return readingOf(result.output);
      return { problem: `the probe ${result.problem}` };
    },
  };
}

export function isFailure(reading: Reading | ProbeFailure): reading is ProbeFailure {
  return 'problem' in reading;
}

function readingOf(output: string): Reading {
  const text = output.trim();
  return { text, count: /^-?\d{1,15}$/.test(text) ? Number(text) : null };
}

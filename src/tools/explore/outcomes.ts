import type { Fault } from './kinds.ts';
import type { Violation } from './properties.ts';
import type { Traffic } from './traffic.ts';

/** An execution of the workload in a fresh world, which has passed if all commands exited with 0. */
export interface Run {
  faults: readonly Fault[];
  hasPassed: boolean;
  /** Whether all faults have acted. */
  hasActed: boolean;
  violations: Violation[];
  /** Why nothing can be said: `--state` could not be read, or violations are left although a fault did not act. */
  unmeasured: string | undefined;
  traffic: Traffic;
  /** What the commands wrote. */
  output: string;
  durationMs: number;
}

/** Nothing can be said about the application: exit code 3. */
export class NotMeasuredError extends Error {
  override readonly name = 'NotMeasuredError';
  /** The last 20 lines of what the command in question wrote. */
  readonly lastLines: readonly string[];
  constructor(message: string, output = '') {
    super(message);
    this.lastLines = output === '' ? [] : output.trimEnd().split('\n').slice(-20);
  }
}

/** A property that faults break. One for each cause: property, kinds, and operations or event types. */
export interface Finding extends Violation {
  faults: readonly Fault[];
  /** In how many of how many runs the property did not hold. */
  rate: readonly [failed: number, runs: number];
  /** The last run that broke it. */
  run: Run;
}

/** Tells the causes of findings apart. */
export function causeOf(property: string, faults: readonly Fault[]): string {
  return [property, ...faults.flatMap(({ kind, point }) => [kind.id, point.group])].join(' ');
}

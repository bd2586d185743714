import type { Fault } from './kinds.ts';
import type { Violation } from './properties.ts';
import type { Traffic } from './traffic.ts';

/** An execution of the workload in a fresh world. */
export interface Run {
  faults: readonly Fault[];
  /** Whether the workload exited with 0. */
  hasPassed: boolean;
  /** Whether all faults have acted; true without faults. If not, there are no violations. */
  hasActed: boolean;
  violations: Violation[];
  /** Why `--state` was unusable. */
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

/** A property that faults break; one for each cause (`causeOf`). */
export interface Finding extends Violation {
  faults: readonly Fault[];
  /** In how many of how many runs the property did not hold. */
  rate: readonly [failed: number, runs: number];
  /** The last run that broke it. */
  run: Run;
}

/** Returns the cause of a violation, as a key. Two points of one operation or event type are one cause. */
export function causeOf(property: string, faults: readonly Fault[]): string {
  return [property, ...faults.flatMap(({ kind, point }) => [kind.id, point.group])].join(' ');
}

import { CodedError } from '../kernel/errors.ts';

/** The checks of a request in the order in which they are made, and what came of it. */
export const CHECKS = [
  'body',
  'headers',
  'timestamp',
  'key',
  'signature',
  'nonce',
  'route',
  'scope',
  'affiliate',
  'approval',
  'rate_limit',
  'magic_domain',
  'fault',
  'idempotency',
  'validation',
  'rules',
  'transition',
  'event',
] as const;
export type Check = (typeof CHECKS)[number];

export const RESULTS = ['passed', 'failed', 'done'] as const;

export type Detail = Record<string, unknown>;

/** One line of a decision trace: a check that passed or failed, or (`done`) something that was brought about. */
export interface Step {
  check: Check;
  result: (typeof RESULTS)[number];
  /** What was compared or written, by name; never a secret. */
  detail?: Detail;
}

/**
 * How a request was decided, written down as it is decided: `check` before a check is made, `note` for what it
 * found. The check that was under way when an error came is the one that failed.
 */
export class Trace {
  readonly steps: Step[] = [];

  check(check: Check, detail?: Detail): void {
    this.steps.push(detail ? { check, result: 'passed', detail } : { check, result: 'passed' });
  }

  /** Adds to what the check under way has found. */
  note(detail: Detail): void {
    const step = this.steps.at(-1);
    if (step) step.detail = step.detail ? { ...step.detail, ...detail } : detail;
  }

  done(check: Check, detail: Detail): void {
    this.steps.push({ check, result: 'done', detail });
  }

  /** The check under way failed with `error`. */
  fail(error: unknown): void {
    const step = this.steps.at(-1);
    if (!step) return;
    step.result = 'failed';
    if (error instanceof CodedError) this.note({ code: error.code, message: error.message });
  }
}

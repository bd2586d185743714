import { CodedError } from '../kernel/errors.ts';

/** The checks of a request, in the usual order. The last two are changes that it made, added after their commit. */
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

/** A step of a decision trace: a check that passed or failed, or a change (`done`). */
export interface TraceStep {
  check: Check;
  result: (typeof RESULTS)[number];
  /** The values that were compared or written; never a secret. */
  detail?: Detail;
}

/** Returns the step of the check that a request failed. */
export function failedStepOf<Step extends Pick<TraceStep, 'result'>>(trace: readonly Step[]) {
  return trace.find(({ result }) => result === 'failed');
}

/**
 * Records how a request is decided: call `check` before each check, and `note` with its findings. If a request is
 * rejected, its last check is the one that failed.
 */
export class Trace {
  /** A passed check without detail, as most are, is stored as its name. */
  readonly steps: (TraceStep | Check)[] = [];
  /** The check that rejected the request. */
  failed: Check | undefined;

  check(check: Check, detail?: Detail): void {
    this.steps.push(detail ? { check, result: 'passed', detail } : check);
  }

  /** Adds findings to the current check. */
  note(detail: Detail): void {
    const step = this.#current();
    if (step) step.detail = { ...step.detail, ...detail };
  }

  addChange(check: 'transition' | 'event', detail: Detail): void {
    this.steps.push({ check, result: 'done', detail });
  }

  /** Marks the current check as failed. */
  fail(error: unknown): void {
    const step = this.#current();
    if (!step) return;
    step.result = 'failed';
    this.failed = step.check;
    if (error instanceof CodedError) this.note({ code: error.code, message: error.message });
  }

  /** Returns the last step as an object, which can be changed. */
  #current(): TraceStep | undefined {
    const last = this.steps.at(-1);
    if (typeof last !== 'string') return last;
    const step: TraceStep = { check: last, result: 'passed' };
    this.steps[this.steps.length - 1] = step;
    return step;
  }
}

/** Returns the id of the fault that acted on a request. */
export function faultIdOf({ steps }: { steps: readonly (TraceStep | Check)[] }): string | null {
  const faultStep = steps.find((step) => typeof step !== 'string' && step.check === 'fault');
  const id = typeof faultStep === 'object' ? faultStep.detail?.fault_id : undefined;
  return typeof id === 'string' ? id : null;
}

import { CRASHED, EARLY, isTrouble, responseFault } from '../response-fault.ts';
import { type Evaluation, pass, unseen, wrong } from '../result.ts';
import type { Attempt } from '../transport.ts';
import type { SaleCheck } from './checks.ts';
import type { DeliveryAttempt } from './sandbox.ts';

/** Outcomes of the dispatcher that a receiver test names differently. */
const OUTCOMES: Record<string, string> = {
  connection_reset: 'closed',
  timeout: 'no_response_in_time',
};

function attemptOf({
  outcome,
  http_status: status,
  duration_ms: durationMs,
}: DeliveryAttempt): Attempt {
  const connected = status !== null || outcome in OUTCOMES;
  return { status, outcome: OUTCOMES[outcome] ?? outcome, durationMs, response: null, connected };
}

export function evaluateAccepted(
  check: SaleCheck,
  attempts: readonly DeliveryAttempt[],
): Evaluation {
  if (attempts.length === 0) return unseen('The sandbox did not deliver the event.');
  for (const attempt of attempts) {
    const fault = responseFault(attemptOf(attempt));
    if (fault) return wrong(check, fault);
  }
  return pass();
}

export function evaluateForged(
  check: SaleCheck,
  [forged, valid]: readonly DeliveryAttempt[],
  /** Effects of the forged attempt. */
  effect: string | undefined,
): Evaluation {
  if (!forged) return unseen('The sandbox did not deliver the event.');
  const attempt = attemptOf(forged);
  if (!attempt.connected) return unseen('No connection was possible.');
  if (attempt.status === 200) {
    return wrong(check, { ...check, reason: 'a forged delivery was accepted' });
  }
  if (effect !== undefined) {
    return wrong(check, {
      ...EARLY,
      reason: `a forged delivery took effect before it was rejected: ${effect}`,
    });
  }
  const accepted = evaluateAccepted(check, valid ? [valid] : []);
  if (accepted.result !== 'pass') return accepted;
  return pass('rejected, then accepted', isTrouble(attempt) ? CRASHED : null);
}

/** Evidence of the effects of an event, before and after it was repeated. */
export interface Repetition {
  /** Operations of the integration after the first delivery that name the order. */
  first: readonly string[];
  again: readonly string[];
  /** Values of the probe before and after the first delivery and after the repeats; null if it was not read. */
  probe: readonly [before: string, once: string, repeated: string] | null;
}

export function evaluateRepeated(
  check: SaleCheck,
  attempts: readonly DeliveryAttempt[],
  { first, again, probe }: Repetition,
): Evaluation {
  const accepted = evaluateAccepted(check, attempts);
  if (accepted.result !== 'pass') return accepted;
  const repeated = [...new Set(first)].filter((operation) => again.includes(operation));
  if (repeated.length > 0) {
    return wrong(check, { ...check, reason: `the integration repeated ${repeated.join(', ')}` });
  }
  const shows = probe !== null && probe[0] !== probe[1];
  if (shows && probe[1] !== probe[2]) {
    return wrong(check, { ...check, reason: 'the event took effect more than once' });
  }
  if (shows || first.length > 0) return pass();
  return unseen(
    'The integration wrote nothing to the partner API about this order, and no probe shows what it does.',
  );
}

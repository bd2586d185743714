import type { DeliveryAttempt } from '../../../webhooks/delivery.ts';
import type { CheckInfo } from '../check.ts';
import { CRASHED, EARLY, isTrouble, responseFault } from '../response-fault.ts';
import { type Evaluation, pass, unseen, wrong } from '../result.ts';
import type { Attempt } from '../transport.ts';

/** Outcomes of the dispatcher that a receiver test names differently. */
const OUTCOMES: Record<string, string> = {
  connection_reset: 'closed',
  timeout: 'no_response_in_time',
};

function attemptOf({ outcome, http_status: status, duration_ms }: DeliveryAttempt): Attempt {
  const connected = status !== null || outcome in OUTCOMES;
  const name = OUTCOMES[outcome] ?? outcome;
  return { status, outcome: name, durationMs: duration_ms, response: null, connected };
}

const NOT_DELIVERED = unseen('The sandbox did not deliver the event.');

export function evaluateAccepted(
  check: CheckInfo,
  attempts: readonly DeliveryAttempt[],
): Evaluation {
  if (attempts.length === 0) return NOT_DELIVERED;
  for (const attempt of attempts) {
    const fault = responseFault(attemptOf(attempt));
    if (fault) return wrong(check, fault.reason, fault);
  }
  return pass();
}

export function evaluateForged(
  check: CheckInfo,
  [forged, valid]: readonly DeliveryAttempt[],
  /** Effects of the forged attempt. */
  effect: string | undefined,
): Evaluation {
  if (!forged) return NOT_DELIVERED;
  const attempt = attemptOf(forged);
  if (!attempt.connected) return unseen('No connection was possible.');
  if (attempt.status === 200) return wrong(check, 'a forged delivery was accepted');
  if (effect !== undefined) {
    const reason = `a forged delivery took effect before it was rejected: ${effect}`;
    return wrong(check, reason, EARLY);
  }
  const accepted = evaluateAccepted(check, valid ? [valid] : []);
  if (accepted.result !== 'pass') return accepted;
  return pass('rejected, then accepted', isTrouble(attempt) ? CRASHED : null);
}

/** Evidence of the effects of an event, before and after it was repeated. */
interface Repetition {
  /** Operations of the integration after the first delivery that name the order. */
  first: readonly string[];
  again: readonly string[];
  /** Values of the probe before and after the first delivery and after the repeats; null if it was not read. */
  probe: readonly [before: string, once: string, repeated: string] | null;
}

export function evaluateRepeated(
  check: CheckInfo,
  attempts: readonly DeliveryAttempt[],
  { first, again, probe }: Repetition,
): Evaluation {
  const accepted = evaluateAccepted(check, attempts);
  if (accepted.result !== 'pass') return accepted;
  const repeated = [...new Set(first)].filter((operation) => again.includes(operation));
  if (repeated.length > 0) {
    return wrong(check, `the integration repeated ${repeated.join(', ')}`);
  }
  const shows = probe !== null && probe[0] !== probe[1];
  if (shows && probe[1] !== probe[2]) {
    return wrong(check, 'the event took effect more than once');
  }
  if (shows || first.length > 0) return pass();
  return unseen(
    'The integration wrote nothing to the partner API about this order, and no probe shows what it does.',
  );
}

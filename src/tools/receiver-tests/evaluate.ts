import { groupOf } from './check.ts';
import { type Calibration, effectOf, needsProbe, type Observation } from './effect.ts';
import { isConnected, mayHaveCrashed, reasonOf, responseProblem, SEE_LOG } from './outcomes.ts';
import { type Evaluation, type Explanation, pass, unmet, unseen } from './result.ts';

/** What holds for a run as a whole. */
interface RunFacts {
  /** Whether a valid delivery received 200 in time. */
  hasAccepted: boolean;
  /** Null without a probe. */
  calibration: Calibration | null;
}

export const NOT_ACCEPTED = 'No valid delivery received 200 within 5 s.';
const FAST_MS = 1_000;

export function evaluate(observation: Observation, facts: RunFacts): Evaluation {
  const { check } = observation;
  if (!observation.stillResponds) {
    return unmet(check, 'the receiver did not accept a valid delivery after this check', {
      meaning: 'The receiver did not survive this check.',
      fix: SEE_LOG,
    });
  }
  if (check.evaluates === 'response_times') return evaluateResponseTimes(observation);
  if (check.expected.response === 'any') return evaluateAnyResponse(observation);
  if (check.expected.response === 'rejected') return evaluateForgery(observation, facts);
  return evaluateValid(observation, facts);
}

function evaluateValid(observation: Observation, facts: RunFacts): Evaluation {
  const { check, deliveries } = observation;
  const forged = deliveries.find(({ delivery }) => delivery.forged === true);
  const effect = effectOf(observation, facts.calibration);
  if (forged?.attempt.status === 200 && (effect.kind === 'early' || effect.kind === 'unseen')) {
    return unmet(check, FORGERY_ACCEPTED, { meaning: NOT_VERIFIED, fix: check.fix });
  }
  if (effect.kind === 'early')
    return unmet(check, 'a forged delivery took effect', PROCESSED_EARLY);
  // Two different deliveries, such as a forgery and a valid one, are no duplicates.
  const isRepeated = deliveries[0]?.delivery === deliveries.at(-1)?.delivery;
  for (const { delivery, attempt } of deliveries) {
    if (delivery.forged === true) continue;
    const problem = responseProblem(attempt, groupOf(check.id) === 'dup' && isRepeated);
    if (!problem) continue;
    // The checks `right.*` have no meaning of their own.
    const isExplained = problem.checkExplains && check.meaning !== null;
    return unmet(check, problem.reason, isExplained ? check : problem);
  }
  switch (effect.kind) {
    case 'as_expected':
      return forged?.attempt.status === 200 ? REJECTED_SILENTLY : pass();
    case 'unseen':
      return needsProbe(check) ? unseen(effect.reason) : pass();
    case 'missing':
      return unmet(check, 'the event took no effect');
    case 'repeated':
      return unmet(check, 'the event took effect more than once');
    case 'reverted':
      return unmet(check, 'an older event changed the state');
  }
}

const PROCESSED_EARLY: Explanation = {
  meaning: 'The receiver processes first and rejects later.',
  fix: 'Verify first.',
};
const FORGERY_ACCEPTED = 'a forged delivery was accepted';
const NOT_VERIFIED = 'The receiver does not verify, or ignores the result.';
const REJECTED_SILENTLY: Evaluation = {
  result: 'advice',
  reason: 'a forged delivery was rejected silently, with 200',
  meaning: 'The receiver ignores a forged delivery, but responds 200.',
  fix: "Respond 401, so that the sender's log shows it.",
};

function evaluateForgery(observation: Observation, facts: RunFacts): Evaluation {
  const { check, deliveries } = observation;
  const attempt = deliveries[0]?.attempt;
  if (!attempt || !isConnected(attempt)) return unseen('No connection was possible.');
  const effect = effectOf(observation, facts.calibration);
  if (attempt.status === 200) {
    return effect.kind === 'as_expected' ? REJECTED_SILENTLY : unmet(check, FORGERY_ACCEPTED);
  }
  if (effect.kind !== 'as_expected' && effect.kind !== 'unseen') {
    return unmet(check, 'a forged delivery took effect before it was rejected', PROCESSED_EARLY);
  }
  if (!facts.hasAccepted) return unseen(`${NOT_ACCEPTED} A rejection then proves nothing.`);
  return pass('rejected');
}

function evaluateAnyResponse({ check, deliveries }: Observation): Evaluation {
  const crash = deliveries.find(({ attempt }) => mayHaveCrashed(attempt));
  return crash ? unmet(check, reasonOf(crash.attempt)) : pass();
}

/** Expects that half of the responses are fast. */
function evaluateResponseTimes({ check, responseTimesMs: times }: Observation): Evaluation {
  if (times.length === 0) return unseen('No response so far.');
  const fast = times.filter((ms) => ms < FAST_MS).length;
  if (fast >= times.length / 2) return pass();
  return unmet(check, `${times.length - fast} of ${times.length} responses took 1 s or longer`);
}

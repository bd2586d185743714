import { type Calibration, effectOf, needsProbe, type Observation } from './effect.ts';
import { EARLY, isConnected, isTrouble, responseFault, SEE_LOG } from './outcomes.ts';
import { type Evaluation, pass, type Texts, unseen, wrong } from './result.ts';

export interface RunFacts {
  /** Whether a valid delivery received 200 in time. */
  accepted: boolean;
  /** Null without a probe. */
  calibration: Calibration | null;
}

export const NOT_ACCEPTED = 'No valid delivery received 200 within 5 s.';
const FAST_MS = 1_000;

export function evaluate(observation: Observation, facts: RunFacts): Evaluation {
  const { check } = observation;
  if (!observation.stillResponds) {
    return wrong(check, 'the receiver did not accept a valid delivery after this check', {
      meaning: 'The receiver did not survive this check.',
      fix: SEE_LOG,
    });
  }
  if (check.evaluates === 'response_times') return evaluateTimes(observation);
  if (check.expected.response === 'any') return evaluateAny(observation);
  if (check.expected.response === 'rejected') return evaluateForged(observation, facts);
  return evaluateValid(observation, facts);
}

function evaluateValid(observation: Observation, facts: RunFacts): Evaluation {
  const { check, deliveries } = observation;
  const forged = deliveries.find(({ delivery }) => delivery.forged === true);
  const effect = effectOf(observation, facts.calibration);
  if (forged?.attempt.status === 200 && (effect.kind === 'early' || effect.kind === 'unseen')) {
    return wrong(check, ACCEPTED, { meaning: NOT_VERIFIED, fix: check.fix });
  }
  if (effect.kind === 'early') return wrong(check, 'a forged delivery took effect', EARLY);
  for (const { delivery, attempt } of deliveries) {
    if (delivery.forged === true || attempt.outcome === 'hung_up') continue;
    const fault = responseFault(attempt);
    if (!fault) continue;
    // A rejected duplicate (409) has its own meaning.
    const usesCheckTexts = fault.rejected && attempt.status !== 409;
    return wrong(check, fault.reason, textsOf(usesCheckTexts ? check : {}, fault));
  }
  switch (effect.kind) {
    case 'as_expected':
      return forged?.attempt.status === 200 ? SILENT : pass();
    case 'unseen':
      return needsProbe(check) ? unseen(effect.reason) : pass();
    case 'missing':
      return wrong(check, 'the event took no effect', textsOf(check, NOT_PROCESSED));
    case 'repeated':
      return wrong(
        check,
        check.evaluates === 'order_state'
          ? 'an older event changed the state'
          : 'the event took effect more than once',
        textsOf(check, PROCESSED_AGAIN),
      );
  }
}

/** Returns the texts of a check, and the fallback for missing ones. */
function textsOf({ meaning, fix }: Partial<Texts>, fallback: Texts): Texts {
  return { meaning: meaning ?? fallback.meaning, fix: fix ?? fallback.fix };
}

const NOT_PROCESSED = {
  meaning: 'The receiver responded 200, but did not process the event.',
  fix: SEE_LOG,
};
const PROCESSED_AGAIN = {
  meaning: 'The receiver processed one delivery more than once.',
  fix: 'Process each event once.',
};
const ACCEPTED = 'a forged delivery was accepted';
const NOT_VERIFIED = 'The receiver does not verify, or ignores the result.';
const SILENT: Evaluation = {
  result: 'advice',
  reason: 'a forged delivery was rejected silently, with 200',
  meaning: 'The receiver ignores a forged delivery, but responds 200.',
  fix: "Respond 401, so that the sender's log shows it.",
};

function evaluateForged(observation: Observation, facts: RunFacts): Evaluation {
  const { check, deliveries } = observation;
  const attempt = deliveries[0]?.attempt;
  if (!attempt || !isConnected(attempt)) return unseen('No connection was possible.');
  const effect = effectOf(observation, facts.calibration);
  if (attempt.status === 200) {
    if (effect.kind === 'as_expected') return SILENT;
    return wrong(check, ACCEPTED);
  }
  if (effect.kind !== 'as_expected' && effect.kind !== 'unseen') {
    return wrong(check, 'a forged delivery took effect before it was rejected', EARLY);
  }
  if (!facts.accepted) return unseen(`${NOT_ACCEPTED} A rejection then proves nothing.`);
  return pass('rejected');
}

function evaluateAny({ check, deliveries }: Observation): Evaluation {
  const attempt = deliveries[0]?.attempt;
  if (attempt && !isTrouble(attempt)) return pass();
  return wrong(check, (attempt && responseFault(attempt)?.reason) ?? 'no response');
}

function evaluateTimes({ check, times }: Observation): Evaluation {
  if (times.length === 0) return unseen('No response so far.');
  const fast = times.filter((ms) => ms < FAST_MS).length;
  if (fast * 2 >= times.length) return pass();
  return wrong(check, `${times.length - fast} of ${times.length} responses took 1 s or longer`);
}

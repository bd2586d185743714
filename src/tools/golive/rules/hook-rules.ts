import { type AttemptActivity, evidenceOf, isAcknowledged } from '../activity.ts';
import { COMPLETE_ORDER } from '../item.ts';
import { advice, countHabit, type ItemRule, must, type Rule } from '../rule.ts';

/** Number of acknowledged attempts that show a habit. */
const MIN_ATTEMPTS = 5;

function afterManyAttempts(
  isWrong: (attempt: AttemptActivity) => boolean,
): Rule<Map<string, number>, 'attempt'> {
  return {
    reads: ['attempt'],
    start: () => new Map(),
    observe(counts, attempt, observe) {
      observe('used', attempt);
      if (attempt.signature === 'valid' && isWrong(attempt)) observe('contradicted', attempt);
      if (isAcknowledged(attempt)) countHabit(counts, attempt, MIN_ATTEMPTS, observe);
    },
  };
}

/** Whether the receiver responded to a valid attempt with another status than 200. */
function isRejected({ signature, status }: AttemptActivity): boolean {
  return signature === 'valid' && status !== null && status !== 200;
}

interface OrderEvents {
  /** The newest acknowledged event. */
  newest: AttemptActivity | undefined;
  /** Ids of events that were acknowledged or rejected. */
  arrived: Set<string>;
}

export const HOOK_RULES: readonly ItemRule[] = [
  must('hook.status_200', {
    title: 'Respond to webhooks with 200',
    needs: ['webhooks'],
    met: 'Five valid attempts were acknowledged.',
    contradicted: 'A valid attempt got a status from 201 to 399.',
    steps: ['Place two orders. Respond 200 to five webhooks.', COMPLETE_ORDER],
    ...afterManyAttempts(({ status }) => status !== null && status > 200 && status < 400),
  }),
  must('hook.in_time', {
    title: 'Respond to webhooks within 5 seconds',
    needs: ['webhooks'],
    met: 'Five valid attempts were acknowledged.',
    contradicted: 'A valid attempt got no response within 5 s.',
    steps: [
      'Place two orders. Respond to five webhooks first, and process them later.',
      COMPLETE_ORDER,
      'A test that blocks its own process, for example with execFileSync, blocks a receiver in it: wait without blocking.',
    ],
    ...afterManyAttempts(({ outcome }) => outcome === 'timeout'),
  }),
  must('hook.rejects_forgery', {
    title: 'Reject a forged webhook, then accept the valid one',
    needs: ['webhooks'],
    met: 'A forged attempt got another status than 200, and the next valid one was acknowledged.',
    contradicted: 'A forged attempt got 200.',
    steps: [
      'sandlot faults add --webhook corrupt_signature --times 1',
      'Place an order.',
      'sandlot clock advance 5s',
    ],
    reads: ['attempt'],
    // Rejected forged attempts, by delivery.
    start: () => new Map<string, AttemptActivity>(),
    observe(rejections, attempt, observe) {
      const { id, signature, status } = attempt;
      if (signature === 'forged') {
        if (status === 200) observe('contradicted', attempt);
        else if (status !== null) rejections.set(id, attempt);
        return;
      }
      const forged = rejections.get(id);
      if (!forged) return;
      rejections.delete(id);
      if (!isAcknowledged(attempt)) return;
      observe('met', [forged, attempt]);
    },
  }),
  must('hook.duplicate', {
    title: 'Accept an event twice',
    needs: ['webhooks'],
    met: 'An event was acknowledged twice.',
    contradicted: 'An acknowledged event got another status than 200 when it came again.',
    steps: ['sandlot events list', 'sandlot events resend ID', 'Respond 200 again.'],
    reads: ['attempt'],
    start: () => new Map<string, AttemptActivity>(),
    observe(attempts, attempt, observe) {
      const before = attempts.get(attempt.event);
      if (isAcknowledged(attempt)) {
        if (before) observe('met', [before, evidenceOf(attempt, 'again')]);
        attempts.set(attempt.event, attempt);
      } else if (before && isRejected(attempt)) {
        observe('contradicted', [before, evidenceOf(attempt, 'again')]);
      }
    },
  }),
  must('hook.reordered', {
    title: 'Accept events out of order',
    needs: ['webhooks'],
    met: 'An older event of an order was acknowledged after a newer one.',
    contradicted: 'The older event got another status than 200.',
    steps: ['Place an order.', 'sandlot faults add --webhook reorder --times 1', COMPLETE_ORDER],
    reads: ['attempt'],
    start: () => new Map<string, OrderEvents>(),
    observe(orders, attempt, observe) {
      const { subject, event } = attempt;
      const { newest, arrived } = orders.get(subject) ?? { newest: undefined, arrived: new Set() };
      const isLate = newest !== undefined && event < newest.event && !arrived.has(event);
      if (isLate && isAcknowledged(attempt)) {
        observe('met', [newest, evidenceOf(attempt, 'older')]);
      } else if (isLate && isRejected(attempt)) {
        observe('contradicted', [newest, evidenceOf(attempt, 'older')]);
      }
      // An event that the receiver rejected before a newer one arrived does not fail because of the order.
      if (isAcknowledged(attempt) || isRejected(attempt)) arrived.add(event);
      const isNewest = isAcknowledged(attempt) && (!newest || event > newest.event);
      orders.set(subject, { newest: isNewest ? attempt : newest, arrived });
    },
  }),
  advice('hook.tested', {
    title: 'Pass the tests of sandlot webhooks test',
    needs: ['webhooks'],
    met: 'A run of `webhooks test` had no failed or unseen required check.',
    contradicted: 'A required check failed.',
    steps: ['sandlot webhooks test --url URL --secret SECRET', 'Fix the checks that fail.'],
    reads: ['receiver_test'],
    observe(_, run, observe) {
      const { failed, unseen } = run;
      if (failed.length > 0) {
        observe('contradicted', evidenceOf(run, `${failed.join(', ')} failed`));
      } else if (unseen.length === 0) {
        observe('met', evidenceOf(run, 'no required check failed'));
      }
    },
  }),
];

import { type AttemptActivity, isAcknowledged } from '../activity.ts';
import { attemptEvidence, receiverTestEvidence } from '../evidence.ts';
import { type AnyRule, BoundedMap, rule } from '../rule.ts';

/** How many acknowledged attempts show a habit. */
const MIN_ATTEMPTS = 5;

function habitOfReceiver(
  item: string,
  isWrong: (attempt: AttemptActivity) => boolean,
  isUsed = false,
): AnyRule {
  return rule({
    item,
    reads: ['attempt'],
    start: () => ({ count: 0 }),
    observe(habit, attempt, observe) {
      if (isUsed) observe('used', attemptEvidence(attempt));
      if (attempt.signature === 'valid' && isWrong(attempt)) {
        observe('contradicted', attemptEvidence(attempt));
      }
      if (!isAcknowledged(attempt)) return;
      habit.count += 1;
      if (habit.count < MIN_ATTEMPTS) return;
      observe('met', attemptEvidence(attempt), {
        count: habit.count === MIN_ATTEMPTS ? MIN_ATTEMPTS : 1,
      });
    },
  });
}

/** Whether the receiver responded to a valid attempt with something else than 200. */
function isRejected({ signature, status }: AttemptActivity): boolean {
  return signature === 'valid' && status !== null && status !== 200;
}

interface OrderEvents {
  /** The newest event that was acknowledged. */
  newest: AttemptActivity | undefined;
  /** Events that arrived: acknowledged, or rejected by themselves. */
  seen: Set<string>;
}

export const HOOK_RULES: readonly AnyRule[] = [
  habitOfReceiver(
    'hook.status_200',
    ({ status }) => status !== null && status > 200 && status < 400,
    true,
  ),
  habitOfReceiver('hook.in_time', ({ outcome }) => outcome === 'timeout'),
  rule({
    item: 'hook.rejects_forgery',
    reads: ['attempt'],
    // Noted by delivery: the forged attempt that was rejected.
    start: () => new BoundedMap<AttemptActivity>(),
    observe(rejected, attempt, observe) {
      const { id, signature, status } = attempt;
      if (signature === 'forged') {
        if (status === 200) observe('contradicted', attemptEvidence(attempt));
        else if (status !== null) rejected.set(id, attempt);
        return;
      }
      const forged = rejected.get(id);
      if (!forged) return;
      rejected.delete(id);
      if (!isAcknowledged(attempt)) return;
      observe('met', [attemptEvidence(forged), attemptEvidence(attempt)]);
    },
  }),
  rule({
    item: 'hook.duplicate',
    reads: ['attempt'],
    start: () => new BoundedMap<AttemptActivity>(),
    observe(acknowledged, attempt, observe) {
      const before = acknowledged.get(attempt.event);
      if (isAcknowledged(attempt)) {
        if (before) observe('met', [attemptEvidence(before), attemptEvidence(attempt, 'again')]);
        acknowledged.set(attempt.event, attempt);
      } else if (before && isRejected(attempt)) {
        observe('contradicted', [attemptEvidence(before), attemptEvidence(attempt, 'again')]);
      }
    },
  }),
  rule({
    item: 'hook.reordered',
    reads: ['attempt'],
    start: () => new BoundedMap<OrderEvents>(),
    observe(orders, attempt, observe) {
      const { subject, event } = attempt;
      const { newest, seen } = orders.get(subject) ?? { newest: undefined, seen: new Set() };
      const isLate = newest !== undefined && event < newest.event && !seen.has(event);
      if (isLate && isAcknowledged(attempt)) {
        observe('met', [attemptEvidence(newest), attemptEvidence(attempt, 'older')]);
      } else if (isLate && isRejected(attempt)) {
        observe('contradicted', [attemptEvidence(newest), attemptEvidence(attempt, 'older')]);
      }
      // An event that the receiver rejected before a newer one arrived does not fail because of the order.
      if (isAcknowledged(attempt) || isRejected(attempt)) seen.add(event);
      const isNewest = isAcknowledged(attempt) && (!newest || event > newest.event);
      orders.set(subject, { newest: isNewest ? attempt : newest, seen });
    },
  }),
  rule({
    item: 'hook.tested',
    reads: ['receiver_test'],
    observe(_, run, observe) {
      const { failed, unseen } = run;
      if (failed.length > 0) {
        observe('contradicted', receiverTestEvidence(run, `${failed.join(', ')} failed`));
      } else if (unseen.length === 0) {
        observe('met', receiverTestEvidence(run, 'no required check failed'));
      }
    },
  }),
];

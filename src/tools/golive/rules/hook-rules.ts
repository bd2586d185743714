import { parseHttpUrl } from '../../../kernel/addresses.ts';
import { type AttemptActivity, evidenceOf, isAcknowledged } from '../activity.ts';
import { COMPLETE_ORDER } from '../item.ts';
import { advice, habitCounter, type ItemRule, must, type Rule } from '../rule.ts';

/** Number of acknowledged attempts that show a habit. The texts of the items name it too. */
const MIN_ATTEMPTS = 5;

/** Contradicted by any wrong attempt; met by MIN_ATTEMPTS acknowledged ones. */
function neverWrong(isWrong: (attempt: AttemptActivity) => boolean): Rule {
  return (observe) => {
    const count = habitCounter(observe, MIN_ATTEMPTS);
    return {
      attempt(attempt) {
        if (!attempt.isForged && isWrong(attempt)) observe('contradicted', attempt);
        if (isAcknowledged(attempt)) count(attempt);
      },
    };
  };
}

/** The body of RECEIVER_TEST: the URL of the receiver, and ids of required checks. */
type ReceiverTest = { url?: string; failed?: string[]; unseen?: string[] };

/** Whether the receiver rejected a valid attempt. 502 to 504 come from a gateway while the receiver is down. */
function isRejected({ isForged, status }: AttemptActivity): boolean {
  return !isForged && status !== null && status !== 200 && !(status >= 502 && status <= 504);
}

export const HOOK_RULES: readonly ItemRule[] = [
  must('hook.status_200', {
    title: 'Respond to webhooks with 200',
    needs: ['webhooks'],
    met: 'Five valid attempts were acknowledged.',
    contradicted: 'A valid attempt got a status from 201 to 399.',
    steps: ['Place two orders. Respond 200 to five webhooks.', COMPLETE_ORDER],
    // A 4xx or 5xx may be on purpose: the event comes again.
    rule: neverWrong(({ status }) => status !== null && status > 200 && status < 400),
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
    rule: neverWrong(({ outcome }) => outcome === 'timeout'),
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
    rule(observe) {
      const rejectionsByDelivery = new Map<string, AttemptActivity>();
      return {
        attempt(attempt) {
          const { id: deliveryId, isForged, status } = attempt;
          const rejection = rejectionsByDelivery.get(deliveryId);
          if (isForged && status === 200) observe('contradicted', attempt);
          else if (isForged && status !== null) rejectionsByDelivery.set(deliveryId, attempt);
          else if (rejection && !isForged) {
            rejectionsByDelivery.delete(deliveryId);
            if (isAcknowledged(attempt)) observe('met', [rejection, attempt]);
          }
        },
      };
    },
  }),
  must('hook.duplicate', {
    title: 'Accept an event twice',
    needs: ['webhooks'],
    met: 'An event was acknowledged twice.',
    contradicted: 'A repeat of an acknowledged event got another status than 200 or 502 to 504.',
    steps: ['sandlot events list', 'sandlot events resend ID', 'Respond 200 again.'],
    rule(observe) {
      const acknowledgedByEvent = new Map<string, AttemptActivity>();
      return {
        attempt(attempt) {
          const before = acknowledgedByEvent.get(attempt.event);
          const again = evidenceOf(attempt, 'again');
          if (before && isAcknowledged(attempt)) observe('met', [before, again]);
          if (before && isRejected(attempt)) observe('contradicted', [before, again]);
          if (isAcknowledged(attempt)) acknowledgedByEvent.set(attempt.event, attempt);
        },
      };
    },
  }),
  must('hook.reordered', {
    title: 'Accept events out of order',
    needs: ['webhooks'],
    met: 'An older event of an order was acknowledged after a newer one.',
    contradicted: 'The older event got another status than 200 or 502 to 504.',
    steps: ['Place an order.', 'sandlot faults add --webhook reorder --times 1', COMPLETE_ORDER],
    rule(observe) {
      // The newest acknowledged event of each order or case. Ids of events sort by their creation.
      const newestByOrder = new Map<string, AttemptActivity>();
      // An event that the receiver got before a newer one does not fail because of the order.
      const arrived = new Set<string>();
      return {
        attempt(attempt) {
          const { subject, event, outcome } = attempt;
          if (/^(?:timeout|connection_reset)$/.test(outcome)) arrived.add(event);
          if (!isAcknowledged(attempt) && !isRejected(attempt)) return;
          const newest = newestByOrder.get(subject);
          if (newest && event < newest.event && !arrived.has(event)) {
            const result = isAcknowledged(attempt) ? 'met' : 'contradicted';
            observe(result, [newest, evidenceOf(attempt, 'older')]);
          }
          arrived.add(event);
          const isNewest = !newest || event > newest.event;
          if (isNewest && isAcknowledged(attempt)) newestByOrder.set(subject, attempt);
        },
      };
    },
  }),
  advice('hook.tested', {
    title: 'Pass the tests of sandlot webhooks test',
    needs: ['webhooks'],
    met: 'A run of `webhooks test` had no failed or unseen required check.',
    contradicted: 'A required check failed.',
    steps: ['sandlot webhooks test --url URL --secret SECRET', 'Fix the checks that fail.'],
    rule: (observe) => ({
      postReceiverTest(request) {
        const { url = '', failed = [], unseen = [] } = (request.input ?? {}) as ReceiverTest;
        const outcome =
          failed.length > 0 ? `${failed.join(', ')} failed` : 'no required check failed';
        const { origin = '', pathname = '' } = parseHttpUrl(url) ?? {};
        const text = `webhooks test --url ${origin}${pathname}: ${outcome}`;
        const evidence = { ...evidenceOf(request), text };
        if (failed.length > 0) observe('contradicted', evidence);
        else if (unseen.length === 0) observe('met', evidence);
      },
    }),
  }),
];

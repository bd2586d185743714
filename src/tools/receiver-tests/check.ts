import { signWebhook, wronglySignWebhook } from '../../signing/signature.ts';
import type { Expected, Level, Texts } from './result.ts';
import {
  compact,
  type DeliveryChanges,
  type Source,
  type TestDelivery,
  type WebhookEvent,
} from './source.ts';

/**
 * How the deliveries of a check are sent: one after the other; at once, when all connections are open; on one connection,
 * or a second one if the receiver closes the first properly; or the first without reading its response, and the others
 * after a pause.
 */
export type SendMode = 'in_turn' | 'at_once' | 'one_connection' | 'hang_up';

/** A test with a stable id, whose part before the dot is its group. */
export interface ReceiverCheck {
  id: string;
  level: Level;
  sent: string;
  expected: Expected;
  /** Meaning of a failure, if it does not follow from the response alone. */
  meaning: string | null;
  fix: string | null;
  sending: SendMode;
  /** What is evaluated in place of the number of effects. */
  evaluates?: 'order_state' | 'response_times';
  build(source: Source): TestDelivery[];
}

export function groupOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

interface CheckInput
  extends Pick<ReceiverCheck, 'sent'>,
    Partial<Omit<ReceiverCheck, 'id' | 'sent'>> {
  /**
   * For a check without `build`: how its single delivery differs from a valid one.
   */
  event?: Parameters<Source['event']>[0];
  body?(event: WebhookEvent): string;
  changes?: DeliveryChanges;
}

/** Declares a check, by default of one valid delivery that has one effect. */
export function check(id: string, { event, body, changes, ...fields }: CheckInput): ReceiverCheck {
  return {
    id,
    level: 'must',
    expected: { response: '200', effect: 'one' },
    sending: 'in_turn',
    meaning: null,
    fix: null,
    build: (source) => {
      const payload = source.event(event);
      return [source.delivery(payload, { ...changes, ...(body && { body: body(payload) }) })];
    },
    ...fields,
  };
}

/** Expects 200, and does not check the effect. */
export const ONLY_200: ReceiverCheck['expected'] = { response: '200', effect: null };

interface Original {
  event: WebhookEvent;
  /** The compact JSON of the event, and its valid signature. */
  body: string;
  signature: string;
  sign(body: string): string;
  /** Returns an invalid signature of the right form. */
  wrong(body?: string): string;
  otherEvent(): WebhookEvent;
}

/** Checks of forgeries with the same meaning. `forge` returns the signatures of the delivery, or several changes to it. */
export interface Forgeries extends Texts {
  level?: ReceiverCheck['level'];
  checks: Record<string, [sent: string, forge: (original: Original) => string[] | DeliveryChanges]>;
}

export function forgeryChecks({ checks, ...advice }: Forgeries): ReceiverCheck[] {
  return Object.entries(checks).map(([id, [sent, forge]]) =>
    check(id, {
      ...advice,
      sent,
      expected: { response: 'rejected', effect: 'none' },
      build: (source) => {
        const event = source.event();
        const body = compact(event);
        const changes = forge({
          event,
          body,
          signature: signWebhook(source.secret, body),
          sign: (text) => signWebhook(source.secret, text),
          wrong: (text = body) => wronglySignWebhook(source.secret, text),
          otherEvent: () => source.event(),
        });
        const signedChanges = Array.isArray(changes) ? { signatures: changes } : changes;
        return [source.delivery(event, { ...signedChanges, forged: true })];
      },
    }),
  );
}

import { signWebhook, wronglySignWebhook } from '../../signing/signature.ts';
import type { Expected, Explanation, Level } from './result.ts';
import {
  compact,
  type DeliveryChanges,
  type DeliverySource,
  type TestDelivery,
  type WebhookEvent,
} from './source.ts';

/** How the deliveries of a check are sent. */
export type SendMode =
  | 'in_turn' // One after the other, each on a new connection.
  | 'at_once' // All together.
  | 'one_connection' // One after the other; on a second one if the receiver closes it without a response.
  | 'hang_up'; // The first without reading its response, the others after a pause.

/** A test with a stable id, whose part before the dot is its group. */
export interface ReceiverCheck {
  id: string;
  level: Level;
  /** What is sent, in words, for the report. */
  sent: string;
  expected: Expected;
  /** Meaning of a failure, if it does not follow from the response alone. */
  meaning: string | null;
  fix: string | null;
  sending: SendMode;
  /** What is evaluated instead of the number of effects. */
  evaluates?: 'order_state' | 'response_times';
  /** Returns the deliveries in the order in which they are sent. */
  build(source: DeliverySource): TestDelivery[];
}

export function groupOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

interface CheckInput
  extends Pick<ReceiverCheck, 'sent'>,
    Partial<Omit<ReceiverCheck, 'id' | 'sent'>> {
  /** For a check without `build`: how its single delivery differs from a valid one. */
  event?: Parameters<DeliverySource['newEvent']>[0];
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
      const newEvent = source.newEvent(event);
      return [source.delivery(newEvent, { ...changes, ...(body && { body: body(newEvent) }) })];
    },
    ...fields,
  };
}

/** Expects 200, and does not check the effect. */
export const ONLY_200: Expected = { response: '200', effect: null };

/** The valid delivery that a forgery changes. */
interface Original {
  source: DeliverySource;
  event: WebhookEvent;
  /** The compact JSON of the event, its valid signature, and an invalid one of the right form. */
  body: string;
  signature: string;
  wrongSignature: string;
}

/** Checks of forgeries with the same explanation. `forge` returns the signature headers, or several changes. */
export interface ForgeryGroup extends Explanation {
  level?: Level;
  checks: Record<string, [sent: string, forge: (original: Original) => string[] | DeliveryChanges]>;
}

export function forgeryChecks({ checks, ...shared }: ForgeryGroup): ReceiverCheck[] {
  return Object.entries(checks).map(([id, [sent, forge]]) =>
    check(id, {
      ...shared,
      sent,
      expected: { response: 'rejected', effect: 'none' },
      build: (source) => {
        const event = source.newEvent();
        const body = compact(event);
        const signature = signWebhook(source.secret, body);
        const wrongSignature = wronglySignWebhook(source.secret, body);
        const forged = forge({ source, event, body, signature, wrongSignature });
        const changes = Array.isArray(forged) ? { signatures: forged } : forged;
        return [source.delivery(event, { ...changes, forged: true })];
      },
    }),
  );
}

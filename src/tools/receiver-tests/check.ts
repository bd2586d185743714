import { signWebhook, wronglySignWebhook } from '../../signing/signature.ts';
import type { Expected, Level } from './result.ts';
import {
  compact,
  type Delivery,
  type DeliveryChanges,
  type Source,
  type WebhookEvent,
} from './source.ts';

/** How the deliveries of a check are sent, and when the probe is read. */
export type Procedure =
  | 'in_turn'
  | 'at_once'
  | 'one_connection'
  | 'repeat'
  | 'hang_up'
  | 'forgery_first'
  | 'no_state_regression'
  | 'response_times';

/** One test with a stable id; the part before the dot is its group. */
export interface CheckInfo {
  id: string;
  level: Level;
  sent: string;
  expected: Expected;
  /** Meaning of a failure, if the response alone does not tell. */
  meaning: string | null;
  fix: string | null;
}

export interface Check extends CheckInfo {
  procedure: Procedure;
  build(source: Source): Delivery[];
}

/** @param alone whether a `sig.*` check has an order of its own; the others share one */
export function deliveriesOf(check: Check, source: Source, alone = false): Delivery[] {
  const isWatched = check.expected.effect !== null;
  return source.build({ isWatched, isShared: groupOf(check.id) === 'sig' && !alone }, check.build);
}

export function groupOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

export interface Advice {
  meaning: string;
  fix: string;
}

interface Declared extends Pick<Check, 'sent'>, Partial<Omit<Check, 'id' | 'sent'>> {
  /** What is unusual about the one delivery, if `build` makes none: its event, its body and the rest. */
  event?: Parameters<Source['event']>[0];
  body?(event: WebhookEvent): string;
  changes?: DeliveryChanges;
}

/** A check, by default of one valid delivery with one effect. */
export function check(id: string, { event, body, changes, ...declared }: Declared): Check {
  return {
    id,
    level: 'must',
    expected: { response: '200', effect: 'one' },
    procedure: 'in_turn',
    meaning: null,
    fix: null,
    build: (source) => {
      const made = source.event(event);
      return [source.delivery(made, { ...changes, ...(body && { body: body(made) }) })];
    },
    ...declared,
  };
}

/** Expected if only the response counts. */
export const ONLY_200: Check['expected'] = { response: '200', effect: null };

interface Original {
  event: WebhookEvent;
  /** The compact JSON of the event, and its valid signature. */
  body: string;
  signature: string;
  sign(body: string): string;
  /** An invalid signature, of the right form. */
  wrong(body?: string): string;
  other(): WebhookEvent;
}

/** Forgeries with one meaning. Each makes the signatures of a delivery, or more changes. */
export interface Forgeries extends Advice {
  level?: Check['level'];
  checks: Record<string, [sent: string, forge: (original: Original) => string[] | DeliveryChanges]>;
}

export function forged({ checks, ...advice }: Forgeries): Check[] {
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
          other: () => source.event(),
        });
        const signed = Array.isArray(changes) ? { signatures: changes } : changes;
        return [source.delivery(event, { ...signed, forged: true })];
      },
    }),
  );
}

export function aboutDifferentOrders(source: Source, count: number): Delivery[] {
  return Array.from({ length: count }, () =>
    source.delivery(source.event({ subject: source.anotherSubject() })),
  );
}

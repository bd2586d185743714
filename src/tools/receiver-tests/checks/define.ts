import { signWebhook, wronglySignWebhook } from '../../../signing/signature.ts';
import type { Check } from '../check.ts';
import {
  compact,
  type Delivery,
  type DeliveryChanges,
  type Source,
  type WebhookEvent,
} from '../source.ts';

export interface Advice {
  meaning: string;
  fix: string;
}

interface Declared extends Pick<Check, 'sent'>, Partial<Omit<Check, 'id' | 'sent'>> {
  /** What is unusual about the one delivery, if `build` makes none. */
  changes?: DeliveryChanges;
}

/** A check, by default of one valid delivery with one effect. */
export function check(id: string, { changes, ...declared }: Declared): Check {
  return {
    id,
    level: 'must',
    expected: { response: '200', effect: 'one' },
    procedure: 'in_turn',
    meaning: null,
    fix: null,
    build: (source) => [source.delivery(source.event(), changes)],
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

import { signWebhook } from '../../../signing/webhook.ts';
import type { Check, Delivery, Source } from '../check.ts';
import {
  compact,
  type DeliveryChanges,
  delivery,
  newEvent,
  type WebhookEvent,
} from '../delivery.ts';

export interface Advice {
  meaning: string;
  fix: string;
}

type ValidCheck = Pick<Check, 'sent'> & Partial<Advice> & Partial<Omit<Check, 'id'>>;

/** A check of valid deliveries, by default of one with one effect. */
export function valid(id: string, check: ValidCheck, changes: DeliveryChanges = {}): Check {
  return {
    id,
    level: 'must',
    expected: { response: '200', effect: 'one' },
    procedure: 'in_turn',
    meaning: null,
    fix: null,
    build: (source) => [delivery(source, newEvent(source), changes)],
    ...check,
  };
}

/** Expected if only the response counts. */
export const ONLY_200: Check['expected'] = { response: '200', effect: null };

interface Original {
  secret: string;
  event: WebhookEvent;
  /** The compact JSON of the event, and its valid signature. */
  body: string;
  signature: string;
  other(): WebhookEvent;
}

export function forged(
  id: string,
  level: Check['level'],
  sent: string,
  { meaning, fix }: Advice,
  forge: (original: Original) => DeliveryChanges,
): Check {
  return {
    id,
    level,
    sent,
    expected: { response: 'rejected', effect: 'none' },
    procedure: 'in_turn',
    meaning,
    fix,
    build: (source) => {
      const { secret } = source;
      const event = newEvent(source);
      const body = compact(event);
      const signature = signWebhook(secret, body);
      const changes = forge({ secret, event, body, signature, other: () => newEvent(source) });
      return [delivery(source, event, { ...changes, forged: true })];
    },
  };
}

export function aboutDifferentOrders(source: Source, count: number): Delivery[] {
  return Array.from({ length: count }, () =>
    delivery(source, newEvent(source, { subject: source.anotherSubject() })),
  );
}

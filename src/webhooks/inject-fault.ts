import { domainOf, type EventRow } from '../events/events.ts';
import type { WebhookEffect } from '../faults/fault-effects.ts';
import { matchDeliveryFault } from '../faults/match-fault.ts';
import { MINUTE } from '../kernel/time.ts';
import { wronglySignWebhook } from '../signing/signature.ts';
import type { Tx } from '../store/transaction.ts';
import { delayDelivery, findDelivery, hasReordered } from './deliveries.ts';
import type { DeliveryRow } from './delivery.ts';
import type { SendResult } from './send.ts';

interface Injection<Value> {
  /** Ms of sandbox time by which the attempt is delayed. */
  delayMs?(value: Value): number;
  /** Recorded instead of sending. */
  result?: SendResult;
  /** Returns a signature that replaces the valid one. */
  sign?(secret: string, body: string): string;
  /** How often the webhook is sent again. */
  repeats?: number;
}

type Injections = {
  readonly [Name in keyof WebhookEffect]-?: Injection<NonNullable<WebhookEffect[Name]>>;
};

const INJECTIONS: Injections = {
  delay_ms: { delayMs: (ms) => ms },
  duplicate: { repeats: 1 },
  // The next delivery makes it due; after a minute, it is due without one.
  reorder: { delayMs: () => MINUTE },
  drop: { result: { outcome: 'dropped', httpStatus: null, durationMs: 0, response: null } },
  corrupt_signature: { sign: wronglySignWebhook },
};

type DeliveryInjection = Pick<Injection<never>, 'result' | 'sign' | 'repeats'>;

/**
 * Finds what is injected into a due attempt: by the fault that it triggers, or by the fault that has delayed it.
 * @returns 'delayed' if the attempt is postponed; undefined if nothing is injected
 */
export function injectFault(
  tx: Tx,
  { id }: DeliveryRow,
  event: EventRow,
): DeliveryInjection | 'delayed' | undefined {
  const delivery = findDelivery(tx, id);
  if (!delivery) return undefined;
  if (delivery.fault) return injectionOf(delivery.fault.webhook);
  const domain = domainOf(event);
  const hit = matchDeliveryFault(tx, {
    event: event.type,
    domains: domain === undefined ? [] : [domain],
    deliveryId: id,
    attemptsMade: delivery.attemptCount,
    followsReordered: hasReordered(tx, delivery),
  });
  if (!hit) return undefined;
  const delayMs = delayOf(hit.effect);
  if (delayMs === 0) return injectionOf(hit.effect);
  delayDelivery(tx, delivery, { fault_id: hit.fault_id, webhook: hit.effect }, delayMs);
  return 'delayed';
}

function injectionOf(effect: WebhookEffect): DeliveryInjection {
  return Object.assign({}, ...injectionsOf(effect).map(([injection]) => injection));
}

function delayOf(effect: WebhookEffect): number {
  return Math.max(
    0,
    ...injectionsOf(effect).map(([injection, value]) => injection.delayMs?.(value) ?? 0),
  );
}

function injectionsOf(effect: WebhookEffect): [injection: Injection<never>, value: never][] {
  const values: Readonly<Record<string, unknown>> = effect;
  return Object.entries<Injection<never>>(INJECTIONS).flatMap(([name, injection]) =>
    values[name] ? [[injection, values[name] as never] as const] : [],
  );
}

import { domainOf, type EventRow, requireEvent } from '../events/events.ts';
import type { WebhookEffect } from '../faults/fault-fields.ts';
import { matchDeliveryFault } from '../faults/match-fault.ts';
import { MINUTE } from '../kernel/time.ts';
import { wronglySignWebhook } from '../signing/signature.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import type { World } from '../world/world.ts';
import {
  type AttemptResult,
  hasReordered,
  nextDueDelivery,
  recordAttempt,
  releaseReordered,
  rescheduleDelivery,
} from './deliveries.ts';
import type { DeliveryRow } from './delivery.ts';
import { deliveredEvent } from './event.ts';
import { findRegistration, listRegistrations } from './registrations.ts';
import { type Send, type SendRequest, type SendResult, withoutResponse } from './send.ts';

/** An attempt that is ready to be sent. */
interface StartedAttempt {
  /** As it was when the attempt began. */
  delivery: DeliveryRow;
  event: EventRow;
  /** Sandbox time, Unix ms. */
  at: number;
  request: SendRequest;
  /** What a fault injects; empty without one. */
  effect: WebhookEffect;
  /** The state of the world in which the attempt began; a reset or restore replaces it. */
  stateVersion: object;
}

/** An attempt whose outcome is committed. */
export interface FinishedAttempt {
  deliveryId: string;
  event: EventRow;
  attempt: AttemptResult;
  /** Whether a fault has made its signature invalid. */
  isForged: boolean;
}

interface DispatcherOptions {
  send: Send;
  /** Called with each attempt whose outcome is committed. */
  onAttempt(attempt: FinishedAttempt): void;
  /** Called when an outcome cannot be written: `start` must be called again. */
  onFailure(): void;
}

/**
 * Sends the due deliveries of a world. Each partner and environment has its own queue, so a slow receiver does not delay
 * others. A queue sends what was due first.
 */
export class Dispatcher {
  readonly #world: World;
  readonly #options: DispatcherOptions;
  /** The queues that are sending, each until nothing is due. */
  readonly #running = new Map<string, Promise<void>>();
  /** Outcomes to write, by queue. If a write fails, a later `start` repeats it; the webhook is not sent again. */
  readonly #unwritten = new Map<
    string,
    { attempt: StartedAttempt; results: readonly SendResult[] }
  >();
  #isClosed = false;

  constructor(world: World, options: DispatcherOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Starts every queue that is not running and has due deliveries or an outcome to write. */
  start(): void {
    if (this.#isClosed) return;
    for (const owner of this.#world.read(listRegistrations)) {
      const queue = `${owner.partnerId} ${owner.environment}`;
      if (this.#running.has(queue)) continue;
      const hasWork =
        this.#unwritten.has(queue) || this.#world.read((tx) => nextDueDelivery(tx, owner));
      if (hasWork) this.#run(queue, owner);
    }
  }

  /** Resolves when nothing is being sent and nothing is due; rejects if outcomes cannot be written. */
  async idle(): Promise<void> {
    this.start();
    // Earlier failures do not count: the disk may have space again.
    await Promise.allSettled(this.#running.values());
    this.start();
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Sends nothing more; resolves after the attempts in flight. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running.values());
  }

  #run(queue: string, owner: Owner): void {
    const run = this.#sendAll(queue, owner).finally(() => this.#running.delete(queue));
    this.#running.set(queue, run);
    // `idle` rejects with what is thrown.
    run.then(() => this.start()).catch(this.#options.onFailure);
  }

  /** Sends until nothing is due. Rejects if an outcome cannot be written. */
  async #sendAll(queue: string, owner: Owner): Promise<void> {
    for (;;) {
      this.#record(queue);
      const attempt = this.#isClosed ? undefined : this.#begin(owner);
      if (attempt === undefined) return;
      if (attempt === 'delayed') continue;
      const results = [await this.#send(attempt)];
      const isCurrent = !this.#isClosed && attempt.stateVersion === this.#world.stateVersion;
      if (attempt.effect.duplicate && isCurrent) results.push(await this.#send(attempt));
      this.#unwritten.set(queue, { attempt, results });
    }
  }

  async #send({ request, effect }: StartedAttempt): Promise<SendResult> {
    if (effect.drop) return DROPPED;
    const result = await this.#options.send(request);
    return effect.discard_response ? withoutResponse(result) : result;
  }

  /** Begins an attempt of the first due delivery, which a fault may delay. @returns undefined if none is due */
  #begin(owner: Owner): StartedAttempt | 'delayed' | undefined {
    return this.#world.transaction((tx) => {
      const delivery = nextDueDelivery(tx, owner);
      // An attempt uses the URL and secret that are registered when it begins.
      const registration = delivery && findRegistration(tx, owner);
      if (!delivery || !registration) return undefined;
      const event = requireEvent(tx, delivery.eventId);
      const effect = effectOn(tx, delivery, event);
      if (effect === 'delayed') return effect;
      const { url, secret } = registration;
      const body = JSON.stringify(deliveredEvent.view(event));
      const signature = effect.corrupt_signature ? wronglySignWebhook(secret, body) : undefined;
      return {
        delivery,
        event,
        at: tx.now,
        request: { url, secret, body, signature },
        effect,
        stateVersion: this.#world.stateVersion,
      };
    });
  }

  /** Records the outcome of the last attempt of a queue, unless the world was reset or restored since it began. */
  #record(queue: string): void {
    const unwritten = this.#unwritten.get(queue);
    if (!unwritten) return;
    const { attempt: startedAttempt, results } = unwritten;
    const { delivery, event, at, request, effect, stateVersion } = startedAttempt;
    if (this.#world.stateVersion !== stateVersion) return void this.#unwritten.delete(queue);
    const isForged = effect.corrupt_signature === true;
    const attempts = results.map((result): AttemptResult => ({ at, url: request.url, ...result }));
    this.#world.transaction((tx) => {
      recordAttempt(tx, delivery, ...attempts);
      releaseReordered(tx, delivery);
    });
    this.#unwritten.delete(queue);
    for (const attempt of attempts) {
      this.#options.onAttempt({ deliveryId: delivery.id, event, isForged, attempt });
    }
  }
}

const DROPPED: SendResult = { outcome: 'dropped', httpStatus: null, durationMs: 0, response: null };

/**
 * Finds the fault that acts on a due attempt: one that it triggers, or the one that has delayed it.
 * @returns 'delayed' if the attempt is postponed
 */
function effectOn(tx: Tx, delivery: DeliveryRow, event: EventRow): WebhookEffect | 'delayed' {
  if (delivery.fault) return delivery.fault.webhook;
  const hit = matchDeliveryFault(tx, {
    event: event.type,
    domain: domainOf(event),
    deliveryId: delivery.id,
    attempt: delivery.attemptCount + 1,
    followsReordered: () => hasReordered(tx, delivery),
  });
  if (!hit) return {};
  const { fault_id, effect } = hit;
  // The next delivery makes a reordered one due; after a minute, it is due without one.
  const delayMs = effect.reorder ? MINUTE : (effect.delay_ms ?? 0);
  if (delayMs === 0) return effect;
  const fault = { fault_id, webhook: effect };
  rescheduleDelivery(tx, { id: delivery.id, fault, nextAttemptAt: tx.now + delayMs });
  return 'delayed';
}

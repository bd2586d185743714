import { ControlApiError } from '../../../client/control-client.ts';
import type { EventType } from '../../../events/event-types.ts';
import type { ControlOrder } from '../../../market/orders/order.ts';
import type { RequestDetail } from '../../../requests/logged-request.ts';
import type { CheckInfo } from '../check.ts';
import { CRASHED, EARLY, isConnected, isTrouble, responseFault } from '../response-fault.ts';
import { type Attempt, type Evaluation, pass, unseen, wrong } from '../result.ts';
import { type Scenario, Unseen } from './scenario.ts';

export interface SaleCheck extends CheckInfo {
  /** The check whose order this one continues with; null for an order of its own. */
  needs: string | null;
  run(at: Scenario, check: SaleCheck): Promise<SaleOutcome>;
}

export interface SaleOutcome {
  evaluation: Evaluation;
  attempts?: readonly Attempt[];
  effect?: { before: string; after: string } | null;
}

const ATTEMPTS = 8;

export const SALE: readonly SaleCheck[] = [
  sale('sale.recorded', {
    sent: 'an order is placed: order.recorded',
    async run(at, check) {
      const attempts = await at.buyFirst(check.id);
      return { attempts, evaluation: evaluateAccepted(check, attempts.slice(0, 1)) };
    },
  }),
  sale('sale.duplicate', {
    sent: 'order.recorded of that order, twice more',
    needs: 'sale.recorded',
    expected: { response: '200', effect: 'none' },
    meaning: 'The receiver processes an event again each time it arrives.',
    fix: 'Store each event id under a unique index, in the transaction of the effect.',
    async run(at, check) {
      const { order, event, writes, probe } = at.first;
      const marker = await at.newestCall();
      const attempts = [...(await at.resend(event)), ...(await at.resend(event))];
      const repeated = await at.settleAndRead(check.id);
      const again = await at.writesAbout(order, marker);
      const values = probe && repeated !== null ? ([...probe, repeated] as const) : null;
      return {
        attempts,
        effect: values && { before: values[1], after: values[2] },
        evaluation: evaluateRepeated(check, attempts, { first: writes, again, probe: values }),
      };
    },
  }),
  sale('sale.forged', {
    sent: 'order.transfer_started with a wrong signature, and 5 s later with the valid one',
    needs: 'sale.recorded',
    expected: { response: 'rejected', effect: 'none' },
    meaning: 'The receiver does not verify, or ignores the result.',
    fix: 'Respond 401 if verification fails, and do nothing else.',
    async run(at, check) {
      const { order, probe } = at.first;
      const marker = await at.newestCall();
      const before = await at.read(check.id);
      await at.addFault('order.transfer_started', order, { corrupt_signature: true });
      await at.operate(order, 'start_transfer');
      await at.deliveryOf('order.transfer_started', order);
      const after = await at.settleAndRead(check.id);
      const writes = await at.writesAbout(order, marker);
      const shows = probe !== null && probe[0] !== probe[1];
      const changed = shows && before !== after ? 'the value of the probe changed' : writes[0];
      await at.advance('5s');
      const { attempts } = await at.deliveryOf('order.transfer_started', order);
      const effect = shows && before !== null && after !== null ? { before, after } : null;
      return { attempts, effect, evaluation: evaluateForged(check, attempts, changed) };
    },
  }),
  sale('sale.retried', {
    sent: 'order.transfer_completed, whose first attempt does not arrive, 5 s later',
    needs: 'sale.recorded',
    async run(at, check) {
      const { order } = at.first;
      await at.addFault('order.transfer_completed', order, { drop: true });
      if ((await at.statusOf(order)) !== 'TRANSFER_IN_PROGRESS') {
        await at.operate(order, 'start_transfer');
      }
      await at.operate(order, 'complete_transfer');
      await at.deliveryOf('order.transfer_completed', order);
      await at.advance('5s');
      const { attempts } = await at.deliveryOf('order.transfer_completed', order);
      // The first attempt was dropped before it was sent.
      return { attempts, evaluation: evaluateAccepted(check, attempts.slice(1)) };
    },
  }),
  sale('sale.reordered', {
    sent: 'order.transfer_completed of a second order before its order.transfer_started',
    async run(at, check) {
      const order = await at.buy();
      await at.idle();
      await at.addFault('order.transfer_started', order, { reorder: true });
      await at.operate(order, 'start_transfer');
      await at.idle();
      await at.operate(order, 'complete_transfer');
      const completed = await at.deliveryOf('order.transfer_completed', order);
      const started = await at.deliveryOf('order.transfer_started', order);
      const attempts = [...completed.attempts, ...started.attempts];
      return { attempts, evaluation: evaluateAccepted(check, attempts) };
    },
  }),
  acceptsEvent('sale.settled', 'order.settled', {
    sent: 'a settlement run: order.settled',
    needs: 'sale.retried',
    async act(at) {
      await at.runSettlement();
      return at.first.order;
    },
  }),
  acceptsEvent('sale.held', 'order.manual_review_cleared', {
    sent: 'a third order, held and cleared: order.manual_review_cleared',
    async act(at) {
      const order = await at.buyHeld();
      await at.idle();
      if ((await at.statusOf(order)) !== 'MANUAL_REVIEW') await at.operate(order, 'hold');
      await at.operate(order, 'clear');
      return order;
    },
  }),
  acceptsEvent('sale.refunded', 'order.refunded', {
    sent: 'a fourth order, refunded: order.refunded',
    async act(at) {
      const order = await at.buy();
      await at.idle();
      await at.operate(order, 'refund');
      return order;
    },
  }),
  sale('sale.caught_up', {
    sent: 'nothing for 9 h: no attempt of order.recorded of a fifth order arrives',
    level: 'advice',
    expected: { response: 'any', effect: null },
    meaning: 'The integration reads GET /events, but misses an event.',
    fix: 'Pass the id of the last event you have processed as after_id, and follow next_cursor to the end.',
    async run(at, check) {
      const listing = await at.nextListing();
      await at.addFault('order.recorded', listing, { drop: true }, ATTEMPTS);
      const order = await at.buy(listing);
      await at.idle();
      await at.advance('9h');
      const { event } = await at.deliveryOf('order.recorded', order);
      return { evaluation: await catchUp(at, check, event) };
    },
  }),
  sale('sale.rotated', {
    sent: 'order.recorded once more, after --rotate',
    needs: 'sale.recorded',
    level: 'advice',
    meaning: 'The receiver does not verify with the secret that is registered.',
    fix: 'Accept the old and the new secret, register the new one, then drop the old one.',
    run: rotate,
  }),
];

function sale(id: string, check: Partial<SaleCheck> & Pick<SaleCheck, 'sent' | 'run'>): SaleCheck {
  return {
    id,
    level: 'must',
    expected: { response: '200', effect: null },
    meaning: null,
    fix: null,
    needs: null,
    ...check,
  };
}

/** A check that one event of an order gets 200. */
function acceptsEvent(
  id: string,
  type: EventType,
  {
    act,
    ...check
  }: Pick<SaleCheck, 'sent'> & { needs?: string; act(at: Scenario): Promise<ControlOrder> },
): SaleCheck {
  return sale(id, {
    ...check,
    async run(at, declared) {
      const { attempts } = await at.deliveryOf(type, await act(at));
      return { attempts, evaluation: evaluateAccepted(declared, attempts) };
    },
  });
}

async function catchUp(at: Scenario, check: SaleCheck, event: string): Promise<Evaluation> {
  const { sale, session } = at;
  const marker = await at.newestCall();
  if (sale.catchUp === undefined) {
    at.note('waiting up to 30 s for the integration to read GET /events');
  }
  const result = sale.catchUp === undefined ? null : await at.act(sale.catchUp);
  const hasEvent = (calls: readonly RequestDetail[]) =>
    calls.some(({ response }) => response.body?.includes(event));
  const calls = await session.poll(
    result ? session.settleMs : session.timing.catchUp,
    () => at.callsSince(marker, /\/events$/),
    hasEvent,
  );
  if (hasEvent(calls)) return pass();
  if (calls.length > 0) return wrong(check, `no response of GET /events contained ${event}`);
  const failed = result && 'problem' in result ? ` --catch-up ${result.problem}.` : '';
  return unseen(`The integration did not read GET /events.${failed}`);
}

async function rotate(at: Scenario, check: SaleCheck): Promise<SaleOutcome> {
  if (at.sale.rotate === undefined) throw new Unseen('Pass --rotate to check it.');
  const { event } = at.first;
  const marker = await at.newestCall();
  const result = await at.act(at.sale.rotate);
  const calls = await at.callsSince(marker, /\/webhooks$/);
  if (!calls.some(({ method, status }) => method === 'PUT' && status === 200)) {
    const failed = 'problem' in result ? ` --rotate ${result.problem}.` : '';
    throw new Unseen(`The integration did not call PUT /webhooks.${failed}`);
  }
  const attempts = await at.resend(event);
  const accepted = evaluateAccepted(check, attempts);
  const { meaning, fix } = check;
  if (accepted.result !== 'pass') return { attempts, evaluation: { ...accepted, meaning, fix } };
  // The log does not show secrets: a delivery with the old one tells whether it was changed.
  const { status } = await at.session.sendValid();
  const evaluation =
    status === 200
      ? unseen('The receiver still accepts the old secret, so a new one was not seen.')
      : accepted;
  return { attempts, evaluation };
}

/** Runs checks with orders, each after the check whose order it continues with. */
export async function runSale(
  checks: readonly SaleCheck[],
  at: Scenario,
): Promise<Map<string, SaleOutcome>> {
  const outcomes = new Map<string, SaleOutcome>();
  try {
    for (const check of checks) {
      at.session.signal.throwIfAborted();
      const needed = check.needs === null ? undefined : outcomes.get(check.needs);
      const outcome =
        needed && !needed.attempts?.length
          ? { evaluation: unseen(`${check.needs} has no delivery.`) }
          : await check.run(at, check).catch((error) => notObserved(error, at));
      outcomes.set(check.id, outcome);
    }
  } finally {
    await at.deleteFaults();
  }
  return outcomes;
}

function notObserved(error: unknown, { session }: Scenario): SaleOutcome {
  session.signal.throwIfAborted();
  if (error instanceof Unseen) return { evaluation: unseen(error.message) };
  if (!(error instanceof ControlApiError)) throw error;
  return { evaluation: unseen(`The sandbox rejected a call: ${error.message}.`) };
}

const NOT_DELIVERED = unseen('The sandbox did not deliver the event.');

function evaluateAccepted(check: CheckInfo, attempts: readonly Attempt[]): Evaluation {
  if (attempts.length === 0) return NOT_DELIVERED;
  for (const attempt of attempts) {
    const fault = responseFault(attempt);
    if (fault) return wrong(check, fault.reason, fault);
  }
  return pass();
}

function evaluateForged(
  check: CheckInfo,
  [forged, valid]: readonly Attempt[],
  /** Effects of the forged attempt. */
  effect: string | undefined,
): Evaluation {
  if (!forged) return NOT_DELIVERED;
  if (!isConnected(forged)) return unseen('No connection was possible.');
  if (forged.status === 200) return wrong(check, 'a forged delivery was accepted');
  if (effect !== undefined) {
    const reason = `a forged delivery took effect before it was rejected: ${effect}`;
    return wrong(check, reason, EARLY);
  }
  const accepted = evaluateAccepted(check, valid ? [valid] : []);
  if (accepted.result !== 'pass') return accepted;
  return pass('rejected, then accepted', isTrouble(forged) ? CRASHED : null);
}

/** Evidence of the effects of an event, before and after it was repeated. */
interface Repetition {
  /** Operations of the integration after the first delivery that name the order. */
  first: readonly string[];
  again: readonly string[];
  /** Values of the probe before and after the first delivery and after the repeats; null if it was not read. */
  probe: readonly [before: string, once: string, repeated: string] | null;
}

function evaluateRepeated(
  check: CheckInfo,
  attempts: readonly Attempt[],
  { first, again, probe }: Repetition,
): Evaluation {
  const accepted = evaluateAccepted(check, attempts);
  if (accepted.result !== 'pass') return accepted;
  const repeated = [...new Set(first)].filter((operation) => again.includes(operation));
  if (repeated.length > 0) {
    return wrong(check, `the integration repeated ${repeated.join(', ')}`);
  }
  const shows = probe !== null && probe[0] !== probe[1];
  if (shows && probe[1] !== probe[2]) {
    return wrong(check, 'the event took effect more than once');
  }
  if (shows || first.length > 0) return pass();
  return unseen(
    'The integration wrote nothing to the partner API about this order, and no probe shows what it does.',
  );
}

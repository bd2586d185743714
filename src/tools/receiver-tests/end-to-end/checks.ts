import { ControlApiError } from '../../../client/control-client.ts';
import type { EventType } from '../../../events/event-types.ts';
import type { ControlOrder } from '../../../market/orders/order.ts';
import type { RequestDetail } from '../../../requests/logged-request.ts';
import type { CheckInfo } from '../check.ts';
import { CRASHED, EARLY, isConnected, isTrouble, responseFault } from '../response-fault.ts';
import { type Attempt, type Evaluation, pass, unseen, wrong } from '../result.ts';
import { type Scenario, UnseenError } from './scenario.ts';

export interface SaleCheck extends CheckInfo {
  /** The check whose order this check uses; null for a new order. */
  needs: string | null;
  run(scenario: Scenario, check: SaleCheck): Promise<SaleOutcome>;
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
    async run(scenario, check) {
      const attempts = await scenario.buyFirst(check.id);
      return { attempts, evaluation: evaluateAccepted(check, attempts.slice(0, 1)) };
    },
  }),
  sale('sale.duplicate', {
    sent: 'order.recorded of that order, twice more',
    needs: 'sale.recorded',
    expected: { response: '200', effect: 'none' },
    meaning: 'The receiver processes an event again each time it arrives.',
    fix: 'Store each event id under a unique index, in the transaction of the effect.',
    async run(scenario, check) {
      const { order, event, writes, probe } = scenario.first;
      const marker = await scenario.newestCall();
      const attempts = [...(await scenario.resend(event)), ...(await scenario.resend(event))];
      const lastValue = await scenario.settleAndRead(check.id);
      const repeatedWrites = await scenario.writesAbout(order, marker);
      const values = probe && lastValue !== null ? ([...probe, lastValue] as const) : null;
      return {
        attempts,
        effect: values && { before: values[1], after: values[2] },
        evaluation: evaluateRepeated(check, attempts, {
          writes: writes,
          repeatedWrites,
          probe: values,
        }),
      };
    },
  }),
  sale('sale.forged', {
    sent: 'order.transfer_started with a wrong signature, and 5 s later with the valid one',
    needs: 'sale.recorded',
    expected: { response: 'rejected', effect: 'none' },
    meaning: 'The receiver does not verify, or ignores the result.',
    fix: 'Respond 401 if verification fails, and do nothing else.',
    async run(scenario, check) {
      const { order, probe } = scenario.first;
      const marker = await scenario.newestCall();
      const before = await scenario.read(check.id);
      await scenario.addFault('order.transfer_started', order, { corrupt_signature: true });
      await scenario.operate(order, 'start_transfer');
      await scenario.deliveryOf('order.transfer_started', order);
      const after = await scenario.settleAndRead(check.id);
      const writes = await scenario.writesAbout(order, marker);
      const probeChanges = probe !== null && probe[0] !== probe[1];
      const effectText =
        probeChanges && before !== after ? 'the value of the probe changed' : writes[0];
      await scenario.advance('5s');
      const { attempts } = await scenario.deliveryOf('order.transfer_started', order);
      const effect = probeChanges && before !== null && after !== null ? { before, after } : null;
      return { attempts, effect, evaluation: evaluateForged(check, attempts, effectText) };
    },
  }),
  sale('sale.retried', {
    sent: 'order.transfer_completed, whose first attempt does not arrive, 5 s later',
    needs: 'sale.recorded',
    async run(scenario, check) {
      const { order } = scenario.first;
      await scenario.addFault('order.transfer_completed', order, { drop: true });
      if ((await scenario.statusOf(order)) !== 'TRANSFER_IN_PROGRESS') {
        await scenario.operate(order, 'start_transfer');
      }
      await scenario.operate(order, 'complete_transfer');
      await scenario.deliveryOf('order.transfer_completed', order);
      await scenario.advance('5s');
      const { attempts } = await scenario.deliveryOf('order.transfer_completed', order);
      // The first attempt was dropped before it was sent.
      return { attempts, evaluation: evaluateAccepted(check, attempts.slice(1)) };
    },
  }),
  sale('sale.reordered', {
    sent: 'order.transfer_completed of a second order before its order.transfer_started',
    async run(scenario, check) {
      const order = await scenario.buy();
      await scenario.idle();
      await scenario.addFault('order.transfer_started', order, { reorder: true });
      await scenario.operate(order, 'start_transfer');
      await scenario.idle();
      await scenario.operate(order, 'complete_transfer');
      const completed = await scenario.deliveryOf('order.transfer_completed', order);
      const started = await scenario.deliveryOf('order.transfer_started', order);
      const attempts = [...completed.attempts, ...started.attempts];
      return { attempts, evaluation: evaluateAccepted(check, attempts) };
    },
  }),
  acceptsEvent('sale.settled', 'order.settled', {
    sent: 'a settlement run: order.settled',
    needs: 'sale.retried',
    async act(scenario) {
      await scenario.runSettlement();
      return scenario.first.order;
    },
  }),
  acceptsEvent('sale.held', 'order.manual_review_cleared', {
    sent: 'a third order, held and cleared: order.manual_review_cleared',
    async act(scenario) {
      const order = await scenario.buyHeld();
      await scenario.idle();
      if ((await scenario.statusOf(order)) !== 'MANUAL_REVIEW')
        await scenario.operate(order, 'hold');
      await scenario.operate(order, 'clear');
      return order;
    },
  }),
  acceptsEvent('sale.refunded', 'order.refunded', {
    sent: 'a fourth order, refunded: order.refunded',
    async act(scenario) {
      const order = await scenario.buy();
      await scenario.idle();
      await scenario.operate(order, 'refund');
      return order;
    },
  }),
  sale('sale.caught_up', {
    sent: 'nothing for 9 h: no attempt of order.recorded of a fifth order arrives',
    level: 'advice',
    expected: { response: 'any', effect: null },
    meaning: 'The integration reads GET /events, but misses an event.',
    fix: 'Pass the id of the last event you have processed as after_id, and follow next_cursor to the end.',
    async run(scenario, check) {
      const listing = await scenario.nextListing();
      await scenario.addFault('order.recorded', listing, { drop: true }, ATTEMPTS);
      const order = await scenario.buy(listing);
      await scenario.idle();
      await scenario.advance('9h');
      const { event } = await scenario.deliveryOf('order.recorded', order);
      return { evaluation: await catchUp(scenario, check, event) };
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

/** Declares a check that the receiver responds 200 to one event of an order. */
function acceptsEvent(
  id: string,
  type: EventType,
  {
    act,
    ...check
  }: Pick<SaleCheck, 'sent'> & { needs?: string; act(scenario: Scenario): Promise<ControlOrder> },
): SaleCheck {
  return sale(id, {
    ...check,
    async run(scenario, saleCheck) {
      const { attempts } = await scenario.deliveryOf(type, await act(scenario));
      return { attempts, evaluation: evaluateAccepted(saleCheck, attempts) };
    },
  });
}

async function catchUp(scenario: Scenario, check: SaleCheck, event: string): Promise<Evaluation> {
  const { sale, session } = scenario;
  const marker = await scenario.newestCall();
  if (sale.catchUp === undefined) {
    scenario.note('waiting up to 30 s for the integration to read GET /events');
  }
  const result = sale.catchUp === undefined ? null : await scenario.runAction(sale.catchUp);
  const hasEvent = (calls: readonly RequestDetail[]) =>
    calls.some(({ response }) => response.body?.includes(event));
  const calls = await session.poll(
    result ? session.settleMs : session.timing.catchUp,
    () => scenario.callsSince(marker, /\/events$/),
    hasEvent,
  );
  if (hasEvent(calls)) return pass();
  if (calls.length > 0) return wrong(check, `no response of GET /events contained ${event}`);
  const problem = result && 'problem' in result ? ` --catch-up ${result.problem}.` : '';
  return unseen(`The integration did not read GET /events.${problem}`);
}

async function rotate(scenario: Scenario, check: SaleCheck): Promise<SaleOutcome> {
  if (scenario.sale.rotate === undefined) throw new UnseenError('Pass --rotate to check it.');
  const { event } = scenario.first;
  const marker = await scenario.newestCall();
  const result = await scenario.runAction(scenario.sale.rotate);
  const calls = await scenario.callsSince(marker, /\/webhooks$/);
  if (!calls.some(({ method, status }) => method === 'PUT' && status === 200)) {
    const problem = 'problem' in result ? ` --rotate ${result.problem}.` : '';
    throw new UnseenError(`The integration did not call PUT /webhooks.${problem}`);
  }
  const attempts = await scenario.resend(event);
  const acceptance = evaluateAccepted(check, attempts);
  const { meaning, fix } = check;
  if (acceptance.result !== 'pass')
    return { attempts, evaluation: { ...acceptance, meaning, fix } };
  // The log shows no secrets, so a delivery with the old secret tests whether the secret was changed.
  const { status } = await scenario.session.sendValid();
  const evaluation =
    status === 200
      ? unseen('The receiver still accepts the old secret, so a new one was not seen.')
      : acceptance;
  return { attempts, evaluation };
}

/** Runs checks with orders. A check that uses the order of another check runs after it. */
export async function runSale(
  checks: readonly SaleCheck[],
  scenario: Scenario,
): Promise<Map<string, SaleOutcome>> {
  const outcomes = new Map<string, SaleOutcome>();
  try {
    for (const check of checks) {
      scenario.session.signal.throwIfAborted();
      const previous = check.needs === null ? undefined : outcomes.get(check.needs);
      const outcome =
        previous && !previous.attempts?.length
          ? { evaluation: unseen(`${check.needs} has no delivery.`) }
          : await check.run(scenario, check).catch((error) => toUnseen(error, scenario));
      outcomes.set(check.id, outcome);
    }
  } finally {
    await scenario.deleteFaults();
  }
  return outcomes;
}

function toUnseen(error: unknown, { session }: Scenario): SaleOutcome {
  session.signal.throwIfAborted();
  if (error instanceof UnseenError) return { evaluation: unseen(error.message) };
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

/** The effects of an event before and after it was repeated. */
interface Repetition {
  /** Operations of the integration after the first delivery that name the order. */
  writes: readonly string[];
  repeatedWrites: readonly string[];
  /** Values of the probe before and after the first delivery, and after the repeats; null if it was not read. */
  probe: readonly [before: string, once: string, repeated: string] | null;
}

function evaluateRepeated(
  check: CheckInfo,
  attempts: readonly Attempt[],
  { writes, repeatedWrites, probe }: Repetition,
): Evaluation {
  const accepted = evaluateAccepted(check, attempts);
  if (accepted.result !== 'pass') return accepted;
  const operations = [...new Set(writes)].filter((operation) => repeatedWrites.includes(operation));
  if (operations.length > 0) {
    return wrong(check, `the integration repeated ${operations.join(', ')}`);
  }
  const probeChanges = probe !== null && probe[0] !== probe[1];
  if (probeChanges && probe[1] !== probe[2]) {
    return wrong(check, 'the event took effect more than once');
  }
  if (probeChanges || writes.length > 0) return pass();
  return unseen(
    'The integration wrote nothing to the partner API about this order, and no probe shows what it does.',
  );
}

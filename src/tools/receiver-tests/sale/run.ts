import { ControlApiError } from '../../../client/control-client.ts';
import type { EventType } from '../../../events/event-types.ts';
import { type Evaluation, pass, unseen, wrong } from '../result.ts';
import type { SaleCheck, SaleCheckId } from './checks.ts';
import { evaluateAccepted, evaluateForged, evaluateRepeated, type Repetition } from './evaluate.ts';
import type { DeliveryAttempt, Order } from './sandbox.ts';
import { Scenario, type ScenarioOptions, Unseen } from './scenario.ts';

export interface SaleResult {
  check: SaleCheck;
  evaluation: Evaluation;
  attempts: readonly DeliveryAttempt[];
  effect: { before: string; after: string } | null;
}

const HELD_DOMAIN = 'held-order.test';
const ATTEMPTS = 8;

const PLACE_ORDER = 'POST /api/partner/v1/orders';

/** Places orders in a sandbox and evaluates how the receiver and the integration react. */
export class SaleRun {
  readonly #scenario: Scenario;
  readonly #results = new Map<SaleCheckId, SaleResult>();
  /** The order of `sale.recorded`, with the effects of its first delivery. */
  #first: { order: Order; event: string; seen: Omit<Repetition, 'again'> } | undefined;

  constructor(options: ScenarioOptions) {
    this.#scenario = new Scenario(options);
  }

  async run(checks: readonly SaleCheck[]): Promise<SaleResult[]> {
    const { sandbox, session } = this.#scenario;
    try {
      for (const check of checks) {
        session.signal.throwIfAborted();
        this.#results.set(check.id, await this.#step(check));
      }
    } finally {
      await sandbox.deleteFaults();
    }
    return [...this.#results.values()];
  }

  async #step(check: SaleCheck): Promise<SaleResult> {
    const needed = check.needs && this.#results.get(check.needs);
    const seen: SaleResult = { check, evaluation: pass(), attempts: [], effect: null };
    try {
      if (needed && needed.attempts.length === 0)
        throw new Unseen(`${needed.check.id} has no delivery.`);
      return { ...seen, ...(await this.#steps[check.id](check)) };
    } catch (error) {
      this.#scenario.session.signal.throwIfAborted();
      if (error instanceof Unseen) return { ...seen, evaluation: unseen(error.message) };
      if (!(error instanceof ControlApiError)) throw error;
      return { ...seen, evaluation: unseen(`The sandbox rejected a call: ${error.message}.`) };
    }
  }

  readonly #steps: Record<SaleCheckId, (check: SaleCheck) => Promise<Partial<SaleResult>>> = {
    'sale.recorded': async (check) => {
      const { sandbox } = this.#scenario;
      const marker = await sandbox.calls.newest();
      const before = await this.#scenario.read(check);
      const order = await this.#scenario.buy();
      const { event, attempts } = await this.#scenario.deliveryOf('order.recorded', order);
      const once = await this.#scenario.settleAndRead(check);
      const first = (await this.#scenario.writesAbout(order, marker)).filter(
        (each) => each !== PLACE_ORDER,
      );
      const probe = before === null || once === null ? null : ([before, once, once] as const);
      this.#first = { order, event, seen: { first, probe } };
      return { attempts, evaluation: evaluateAccepted(check, attempts.slice(0, 1)) };
    },
    'sale.duplicate': async (check) => {
      const { sandbox } = this.#scenario;
      const { order, event, seen } = this.#firstOrder();
      const marker = await sandbox.calls.newest();
      const attempts = [...(await sandbox.resend(event)), ...(await sandbox.resend(event))];
      const repeated = await this.#scenario.settleAndRead(check);
      const again = await this.#scenario.writesAbout(order, marker);
      const probe =
        seen.probe && repeated !== null
          ? ([seen.probe[0], seen.probe[1], repeated] as const)
          : null;
      const effect = probe && { before: probe[1], after: probe[2] };
      return {
        attempts,
        effect,
        evaluation: evaluateRepeated(check, attempts, { ...seen, again, probe }),
      };
    },
    'sale.forged': async (check) => {
      const { sandbox } = this.#scenario;
      const { order, seen } = this.#firstOrder();
      const marker = await sandbox.calls.newest();
      const before = await this.#scenario.read(check);
      await this.#scenario.faultFor(order, 'order.transfer_started', { corrupt_signature: true });
      await sandbox.operate(order, 'start_transfer');
      await this.#scenario.deliveryOf('order.transfer_started', order);
      const after = await this.#scenario.settleAndRead(check);
      const writes = await this.#scenario.writesAbout(order, marker);
      const shows = seen.probe !== null && seen.probe[0] !== seen.probe[1];
      const changed = shows && before !== after ? 'the value of the probe changed' : writes[0];
      await sandbox.advance('5s');
      const { attempts } = await this.#scenario.deliveryOf('order.transfer_started', order);
      const effect = shows && before !== null && after !== null ? { before, after } : null;
      return { attempts, effect, evaluation: evaluateForged(check, attempts, changed) };
    },
    'sale.retried': async (check) => {
      const { sandbox } = this.#scenario;
      const { order } = this.#firstOrder();
      await this.#scenario.faultFor(order, 'order.transfer_completed', { drop: true });
      await this.#scenario.complete(order);
      await this.#scenario.deliveryOf('order.transfer_completed', order);
      await sandbox.advance('5s');
      const { attempts } = await this.#scenario.deliveryOf('order.transfer_completed', order);
      // The first attempt was dropped before it was sent.
      return { attempts, evaluation: evaluateAccepted(check, attempts.slice(1)) };
    },
    'sale.reordered': async (check) => {
      const { sandbox } = this.#scenario;
      const order = await this.#scenario.buy();
      await sandbox.idle();
      await this.#scenario.faultFor(order, 'order.transfer_started', { reorder: true });
      await sandbox.operate(order, 'start_transfer');
      await sandbox.idle();
      await sandbox.operate(order, 'complete_transfer');
      const completed = await this.#scenario.deliveryOf('order.transfer_completed', order);
      const started = await this.#scenario.deliveryOf('order.transfer_started', order);
      const attempts = [...completed.attempts, ...started.attempts];
      return { attempts, evaluation: evaluateAccepted(check, attempts) };
    },
    'sale.settled': async (check) => {
      await this.#scenario.sandbox.runSettlement();
      return this.#accepts(check, 'order.settled', this.#firstOrder().order);
    },
    'sale.held': async (check) => {
      const { sandbox } = this.#scenario;
      const magic = await sandbox.findListing(HELD_DOMAIN);
      const order = await this.#scenario.buy(magic);
      await sandbox.idle();
      const { status } = await sandbox.order(order.public_id);
      if (status !== 'MANUAL_REVIEW') await sandbox.operate(order, 'hold');
      await sandbox.operate(order, 'clear');
      return this.#accepts(check, 'order.manual_review_cleared', order);
    },
    'sale.refunded': async (check) => {
      const order = await this.#scenario.buy();
      await this.#scenario.sandbox.idle();
      await this.#scenario.sandbox.operate(order, 'refund');
      return this.#accepts(check, 'order.refunded', order);
    },
    'sale.caught_up': async (check) => {
      const { sandbox } = this.#scenario;
      const listing = await this.#scenario.nextListing();
      const match = { event: 'order.recorded', domain: listing.domain, first: ATTEMPTS } as const;
      await sandbox.addFault(match, { drop: true });
      const order = await this.#scenario.buy(listing);
      await sandbox.idle();
      await sandbox.advance('9h');
      const { event } = await this.#scenario.deliveryOf('order.recorded', order);
      return { evaluation: await this.#catchUp(check, event) };
    },
    'sale.rotated': async (check) => this.#rotate(check),
  };

  async #catchUp(check: SaleCheck, event: string): Promise<Evaluation> {
    const { sale, sandbox, session } = this.#scenario;
    const marker = await sandbox.calls.newest();
    if (sale.catchUp === undefined) {
      this.#scenario.note('waiting up to 30 s for the integration to read GET /events');
    }
    const result = sale.catchUp === undefined ? null : await this.#scenario.act(sale.catchUp);
    const until =
      session.runtime.monotonic() + (result === null ? session.timing.catchUp : session.settleMs);
    for (;;) {
      const calls = await sandbox.calls.since(marker, /\/events$/);
      if (calls.some(({ received }) => received.includes(event))) return pass();
      if (session.runtime.monotonic() >= until) {
        if (calls.length > 0) {
          return wrong(check, {
            ...check,
            reason: `no response of GET /events contained ${event}`,
          });
        }
        const failed = result && 'problem' in result ? ` --catch-up ${result.problem}.` : '';
        return unseen(`The integration did not read GET /events.${failed}`);
      }
      await session.sleep(session.timing.pollPause);
    }
  }

  async #rotate(check: SaleCheck): Promise<Partial<SaleResult>> {
    const { sale, sandbox, session } = this.#scenario;
    if (sale.rotate === undefined) throw new Unseen('Pass --rotate to check it.');
    const { event } = this.#firstOrder();
    const marker = await sandbox.calls.newest();
    const result = await this.#scenario.act(sale.rotate);
    const calls = await sandbox.calls.since(marker, /\/webhooks$/);
    if (!calls.some(({ method, status }) => method === 'PUT' && status === 200)) {
      const failed = 'problem' in result ? ` --rotate ${result.problem}.` : '';
      throw new Unseen(`The integration did not call PUT /webhooks.${failed}`);
    }
    const attempts = await sandbox.resend(event);
    const evaluation = evaluateAccepted(check, attempts);
    if (evaluation.result !== 'pass')
      return { attempts, evaluation: { ...evaluation, meaning: check.meaning, fix: check.fix } };
    // The log does not show secrets: a delivery with the old one tells whether it was changed.
    const { status } = await session.sendValid();
    if (status !== 200) return { attempts, evaluation };
    return {
      attempts,
      evaluation: unseen('The receiver still accepts the old secret, so a new one was not seen.'),
    };
  }

  async #accepts(check: SaleCheck, type: EventType, order: Order): Promise<Partial<SaleResult>> {
    const { attempts } = await this.#scenario.deliveryOf(type, order);
    return { attempts, evaluation: evaluateAccepted(check, attempts) };
  }

  #firstOrder() {
    if (this.#first) return this.#first;
    throw new Unseen('The first order was not placed.');
  }
}

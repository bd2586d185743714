import fc from 'fast-check';
import type { InProcessSandbox } from '../../src/index.ts';
import { send } from '../support/calls.ts';
import { deal, type Session } from '../support/money.ts';
import { magic, type Order, orderBody, requestOrder } from '../support/orders.ts';

/** Sold over and over; the orders of the first go on by themselves. */
const SOLD = [magic('auto-complete', 199_900), magic('held-order', 250_000)] as const;

type StepWithNth = 'checkout' | 'refund order' | 'advance order' | 'deliver' | 'refund sale';
type PlainStep = 'settle' | 'pay out';

/** A random action on the marketplace; `nth` chooses what it is about. */
export type Step =
  | { do: 'order'; which: number }
  | { do: StepWithNth; nth: number }
  | { do: 'deal'; price: number }
  | { do: 'pass'; hours: number }
  | { do: PlainStep };

export const order: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('order' as const),
  which: fc.nat(SOLD.length - 1),
});

export const dealAtPrice: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('deal' as const),
  price: fc.integer({ min: 1, max: 9_000_000 }),
});

export const pass: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('pass' as const),
  hours: fc.constantFrom(1, 7, 15, 24, 31 * 24),
});

export function anyNth(...names: StepWithNth[]): fc.Arbitrary<Step> {
  return fc.record({ do: fc.constantFrom(...names), nth: fc.nat(30) });
}

export function plain(...names: PlainStep[]): fc.Arbitrary<Step> {
  return fc.record({ do: fc.constantFrom(...names) });
}

/** One of several kinds of steps, with their weights. */
export function mixOf(...kinds: [weight: number, steps: fc.Arbitrary<Step>][]): fc.Arbitrary<Step> {
  return fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** What was asked for and not rejected: the marketplace as the test remembers it. */
export class Played {
  readonly orders: string[] = [];
  readonly sales: string[] = [];
  readonly #at: InProcessSandbox;

  constructor(at: InProcessSandbox) {
    this.#at = at;
  }

  /** Takes a step. @param n its number, which makes its names unique */
  async take(step: Step, n: number): Promise<void> {
    const at = this.#at;
    switch (step.do) {
      case 'order': {
        const call = { idempotencyKey: `n-${n}` };
        const response = await requestOrder(at, orderBody(SOLD[step.which] ?? SOLD[0]), call);
        this.orders.push(((await response.json()) as Order).public_id);
        return;
      }
      case 'checkout': {
        const offer = { domain: SOLD[1].domain };
        const session = (await (await send(at, '/checkout-session', offer)).json()) as Session;
        const sale = await this.#control(`/checkout-sessions/${session.session_id}/pay`);
        if (sale?.transaction_id) this.sales.push(sale.transaction_id);
        return;
      }
      case 'deal': {
        const { transaction_id } = await deal(at, `wanted-${n}.com`, step.price);
        this.sales.push(transaction_id);
        return;
      }
      case 'refund order':
        await send(at, '/refunds', { public_id: nthOf(this.orders, step.nth) });
        return;
      case 'advance order':
        await this.#control(`/orders/${nthOf(this.orders, step.nth)}/advance`);
        return;
      case 'deliver':
        await this.#control(`/transactions/${nthOf(this.sales, step.nth)}/deliver`);
        return;
      case 'refund sale':
        await this.#control(`/transactions/${nthOf(this.sales, step.nth)}/refund`);
        return;
      case 'pass':
        await this.#control('/clock/advance', { by: `${step.hours}h` });
        return;
      case 'settle':
        await this.#control('/settlements/run');
        return;
      case 'pay out':
        await this.#control('/payouts/run');
        return;
    }
  }

  /** What the sandbox rejects must not count either. */
  #control(path: string, body: object = {}): Promise<Record<string, string> | undefined> {
    return this.#at.control.post<Record<string, string>>(path, body).catch(() => undefined);
  }
}

function nthOf(list: readonly string[], n: number): string {
  return list[n % Math.max(1, list.length)] ?? 'none';
}

import type { EventType } from '../../../events/event-types.ts';
import type { EffectReader } from '../effect.ts';
import type { Action, SaleOptions } from '../options.ts';
import { isFailure } from '../probe.ts';
import type { Session } from '../session.ts';
import { type CommandResult, callFunction, runCommand } from '../shell-command.ts';
import type { SaleCheck } from './checks.ts';
import type { DeliveryAttempt, Listing, Order, SaleSandbox } from './sandbox.ts';

/** A reason why a check cannot continue; it is then unseen. */
export class Unseen extends Error {}

export interface ScenarioOptions {
  sale: SaleOptions;
  sandbox: SaleSandbox;
  session: Session;
  reader: EffectReader;
  cwd: string | undefined;
  /** Called with what a person should know meanwhile. */
  onNote?: ((text: string) => void) | undefined;
}

/** How many checks need a listed domain; another one needs the magic domain. */
const LISTINGS = 5;

/** Actions that the checks share: places orders, delivers their events and observes the integration. */
export class Scenario {
  readonly sale: SaleOptions;
  readonly sandbox: SaleSandbox;
  readonly session: Session;
  readonly #reader: EffectReader;
  readonly #cwd: string | undefined;
  readonly #onNote: ScenarioOptions['onNote'];
  #listings: Listing[] | undefined;

  constructor({ sale, sandbox, session, reader, cwd, onNote }: ScenarioOptions) {
    this.sale = sale;
    this.sandbox = sandbox;
    this.session = session;
    this.#reader = reader;
    this.#cwd = cwd;
    this.#onNote = onNote;
  }

  note(text: string): void {
    this.#onNote?.(`note: ${text}`);
  }

  async nextListing(): Promise<Listing> {
    this.#listings ??= await this.sandbox.listings(LISTINGS);
    const listing = this.#listings.shift();
    if (listing) return listing;
    throw new Unseen('Too few domains are listed. Add some with "sandlot inventory add".');
  }

  /** Places an order by --buy, or as the partner. @throws Unseen if there is none within 30 s */
  async buy(chosen?: Listing): Promise<Order> {
    const { sale, sandbox, session } = this;
    const listing = chosen ?? (await this.nextListing());
    const { domain, price_cents: price } = listing;
    const known = new Set((await sandbox.ordersFor(domain)).map(({ public_id }) => public_id));
    const find = async () =>
      (await sandbox.ordersFor(domain)).find(({ public_id }) => !known.has(public_id));
    if (sale.buy === undefined) {
      await sandbox.placeOrder(listing);
      const order = await find();
      if (order) return order;
      throw new Unseen(`The order for ${domain} was not found.`);
    }
    const environment = { SANDLOT_TEST_DOMAIN: domain, SANDLOT_TEST_PRICE_CENTS: String(price) };
    const until = session.runtime.monotonic() + session.timing.purchase;
    let result: CommandResult | undefined;
    const { buy } = sale;
    const action = typeof buy === 'string' ? buy : () => buy({ domain, priceCents: price });
    const buying = this.act(action, environment, session.timing.purchase).then((ended) => {
      result = ended;
    });
    for (;;) {
      const isLast = result !== undefined && 'problem' in result;
      const order = await find();
      if (order) {
        await buying;
        return order;
      }
      if (isLast || session.runtime.monotonic() >= until) break;
      await session.sleep(session.timing.pollPause);
    }
    const failed = result && 'problem' in result ? ` It ${result.problem}.` : '';
    throw new Unseen(`--buy placed no order for ${domain} within 30 s.${failed}`);
  }

  act(
    action: Action,
    environment: Record<string, string> = {},
    timeout = this.session.timing.command,
  ): Promise<CommandResult> {
    const { runtime, signal } = this.session;
    const options = { environment, cwd: this.#cwd, runtime, timeout, signal };
    return typeof action === 'string' ? runCommand(action, options) : callFunction(action, options);
  }

  faultFor(
    { domain }: Order,
    event: EventType,
    effect: { drop: true } | { reorder: true } | { corrupt_signature: true },
  ) {
    return this.sandbox.addFault({ event, domain, first: 1 }, effect);
  }

  async complete(order: Order): Promise<void> {
    const { sandbox } = this;
    const { status } = await sandbox.order(order.public_id);
    if (status !== 'TRANSFER_IN_PROGRESS') await sandbox.operate(order, 'start_transfer');
    await sandbox.operate(order, 'complete_transfer');
  }

  /** The newest event of a type about an order with its attempts so far. @throws Unseen if there is none */
  async deliveryOf(
    type: EventType,
    order: Order,
  ): Promise<{ event: string; attempts: DeliveryAttempt[] }> {
    const { sandbox } = this;
    await sandbox.idle();
    const event = await sandbox.findEvent(type, order);
    if (event === undefined) throw new Unseen(`The sandbox has no ${type} of ${order.public_id}.`);
    const deliveries = await sandbox.deliveriesOf(event);
    return { event, attempts: deliveries.flatMap(({ attempts }) => attempts) };
  }

  /** Operations of the integration that name the order or its domain, and change something. */
  async writesAbout({ public_id, domain }: Order, marker: string | undefined): Promise<string[]> {
    const calls = await this.sandbox.calls.since(marker);
    return calls
      .filter(
        ({ method, sent }) =>
          method !== 'GET' && (sent.includes(public_id) || sent.includes(domain)),
      )
      .map(({ operation }) => operation);
  }

  async settleAndRead(check: SaleCheck): Promise<string | null> {
    await this.session.settle();
    return this.read(check);
  }

  /** The value of the probe; null without one that works. */
  async read({ id }: SaleCheck): Promise<string | null> {
    const reading = await this.#reader.read(id);
    return isFailure(reading) ? null : reading.text;
  }
}

import { randomUUID } from 'node:crypto';
import { ControlApiError } from '../../../client/control-client.ts';
import { sendSigned, signPartnerRequest } from '../../../client/partner-client.ts';
import type { EventType } from '../../../events/event-types.ts';
import type { ControlListing } from '../../../market/inventory/listing.ts';
import type { ControlOrder } from '../../../market/orders/order.ts';
import type { RequestDetail } from '../../../requests/logged-request.ts';
import { VERSION } from '../../../version.ts';
import type { DeliveryAttempt } from '../../../webhooks/delivery.ts';
import { type EffectReader, isFailure } from '../effect.ts';
import type { Action, SaleOptions } from '../options.ts';
import type { Attempt } from '../result.ts';
import type { Session } from '../session.ts';
import { type ActionResult, runAction } from '../shell-command.ts';
import { ifFound, PAGE, pages, type SaleSandbox } from './sandbox.ts';

/** Ends a check, which is then unseen for this reason. */
export class UnseenError extends Error {}

interface ScenarioOptions {
  sale: SaleOptions;
  sandbox: SaleSandbox;
  session: Session;
  reader: EffectReader;
  cwd: string | undefined;
  /** Called with messages for the user during the run. */
  onNote: ((text: string) => void) | undefined;
}

/** The first order, and the effects of the first delivery of its event. */
interface FirstOrder {
  order: ControlOrder;
  event: string;
  /** Operations of the integration after that delivery that name the order. */
  writes: readonly string[];
  /** Values of the probe before and after that delivery; null if it was not read. */
  probe: readonly [before: string, once: string] | null;
}

type WebhookFault = { drop: true } | { reorder: true } | { corrupt_signature: true };

/** Number of checks that need a listed domain. Another check needs the magic domain. */
const LISTINGS = 5;
const HELD_DOMAIN = 'held-order.test';
const IDLE_MS = 30_000;
const PLACE_ORDER = 'POST /api/partner/v1/orders';

/** Places orders, delivers their events and observes the integration. */
export class Scenario {
  readonly sale: SaleOptions;
  readonly session: Session;
  readonly #options: ScenarioOptions;
  readonly #faults = new Set<string>();
  #listings: ControlListing[] | undefined;
  #first: FirstOrder | undefined;

  constructor(options: ScenarioOptions) {
    this.sale = options.sale;
    this.session = options.session;
    this.#options = options;
  }

  get #control() {
    return this.#options.sandbox.control;
  }

  get #partner() {
    return this.#options.sandbox.partner;
  }

  note(text: string): void {
    this.#options.onNote?.(`note: ${text}`);
  }

  /** Saves a snapshot under a free name. @returns the name */
  async saveSnapshot(): Promise<string> {
    for (let n = 1; ; n += 1) {
      const name = `before-receiver-test-${n}`;
      try {
        await this.#control.post('/snapshots', { name });
      } catch (error) {
        if (error instanceof ControlApiError && error.code === 'conflict') continue;
        throw error;
      }
      this.note(
        `--sale advances the clock of world ${this.#partner.world} by about 10 hours; snapshot ${name} has the state before`,
      );
      return name;
    }
  }

  /** The order of `sale.recorded`. */
  get first(): FirstOrder {
    if (this.#first) return this.#first;
    throw new UnseenError('The first order was not placed.');
  }

  /** Places the first order. @returns the attempts of its event */
  async buyFirst(check: string): Promise<Attempt[]> {
    const marker = await this.newestCall();
    const before = await this.read(check);
    const order = await this.buy();
    const { event, attempts } = await this.deliveryOf('order.recorded', order);
    const once = await this.settleAndRead(check);
    const writes = await this.writesAbout(order, marker);
    this.#first = {
      order,
      event,
      writes: writes.filter((operation) => operation !== PLACE_ORDER),
      probe: before === null || once === null ? null : [before, once],
    };
    return attempts;
  }

  /** Returns a listed domain that is not magic. */
  async nextListing(): Promise<ControlListing> {
    if (!this.#listings) {
      const { environment } = this.#partner;
      const query = { environment, status: 'listed', limit: PAGE } as const;
      const { listings } = await this.#control.get('/inventory', query);
      this.#listings = listings
        .filter(({ domain }) => !domain.endsWith('.test'))
        .slice(0, LISTINGS);
    }
    const listing = this.#listings.shift();
    if (listing) return listing;
    throw new UnseenError('Too few domains are listed. Add some with "sandlot inventory add".');
  }

  async buyHeld(): Promise<ControlOrder> {
    const { environment } = this.#partner;
    return this.buy(await ifFound(this.#control.get(`/inventory/${HELD_DOMAIN}`, { environment })));
  }

  /** Places an order by --buy, or as the partner. @throws UnseenError if there is none within 30 s */
  async buy(chosenListing?: ControlListing): Promise<ControlOrder> {
    const { timing } = this.session;
    const listing = chosenListing ?? (await this.nextListing());
    const { domain, price_cents: priceCents } = listing;
    const earlierIds = new Set((await this.#ordersFor(domain)).map(({ public_id }) => public_id));
    const find = async () =>
      (await this.#ordersFor(domain)).find(({ public_id }) => !earlierIds.has(public_id));
    const { buy } = this.sale;
    if (buy === undefined) {
      await this.#placeOrder(listing);
      const order = await find();
      if (order) return order;
      throw new UnseenError(`The order for ${domain} was not found.`);
    }
    let result: ActionResult | undefined;
    const problem = () => (result && 'problem' in result ? result.problem : undefined);
    const environment = {
      SANDLOT_TEST_DOMAIN: domain,
      SANDLOT_TEST_PRICE_CENTS: String(priceCents),
    };
    const action = typeof buy === 'string' ? buy : () => buy({ domain, priceCents });
    const purchase = this.runAction(action, environment, timing.purchase).then((actionResult) => {
      result = actionResult;
    });
    const { order } = await this.session.poll(
      timing.purchase,
      async () => ({ problem: problem(), order: await find() }),
      ({ problem: ended, order }) => order !== undefined || ended !== undefined,
    );
    if (order) {
      await purchase;
      return order;
    }
    const reason = problem() === undefined ? '' : ` It ${problem()}.`;
    throw new UnseenError(`--buy placed no order for ${domain} within 30 s.${reason}`);
  }

  /** Lists the orders of the partner for a domain, newest first. */
  async #ordersFor(domain: string): Promise<ControlOrder[]> {
    const { partner_id, environment } = this.#partner;
    return (await this.#control.get('/orders', { domain, partner_id, environment })).orders;
  }

  /** Places an order as the partner. @throws ControlApiError if it is rejected */
  async #placeOrder({ domain, price_cents, currency }: ControlListing): Promise<void> {
    const { baseUrl, fetch } = this.#options.sandbox;
    const request = {
      method: 'POST',
      target: '/api/partner/v1/orders',
      body: {
        domain,
        expected_price: price_cents,
        currency,
        buyer: { email: 'buyer@example.com' },
      },
      headers: { 'Idempotency-Key': randomUUID(), 'User-Agent': `sandlot/${VERSION}` },
    };
    const now = this.session.runtime.now();
    const response = await sendSigned(
      fetch,
      signPartnerRequest(baseUrl, this.#partner, request, now),
    );
    if (response.ok) return;
    const { error } = (await response.json()) as { error: ControlApiError };
    throw new ControlApiError(response.status, error.code, error.message);
  }

  /** Runs a command or a function of the user. */
  runAction(
    action: Action,
    environment: Record<string, string> = {},
    timeout = this.session.timing.command,
  ): Promise<ActionResult> {
    const { runtime, signal } = this.session;
    return runAction(action, { environment, cwd: this.#options.cwd, runtime, timeout, signal });
  }

  async statusOf({ public_id }: ControlOrder): Promise<string> {
    return (await this.#control.get(`/orders/${public_id}`)).status;
  }

  async operate(
    { public_id }: ControlOrder,
    action: 'hold' | 'clear' | 'start_transfer' | 'complete_transfer' | 'refund',
  ): Promise<void> {
    await this.#control.post(`/orders/${public_id}/advance`, { action });
  }

  async runSettlement(): Promise<void> {
    await this.#control.post('/settlements/run', { partner_id: this.#partner.partner_id });
  }

  async idle(): Promise<void> {
    await this.#control.post('/idle', { timeout_ms: IDLE_MS });
  }

  async advance(by: string): Promise<void> {
    await this.#control.post('/clock/advance', { by });
    await this.idle();
  }

  /** Adds a webhook fault that `deleteFaults` deletes. */
  async addFault(
    event: EventType,
    { domain }: { domain: string },
    webhook: WebhookFault,
    first = 1,
  ): Promise<void> {
    const match = { event, domain, first };
    this.#faults.add((await this.#control.post('/faults', { match, webhook })).fault_id);
  }

  async deleteFaults(): Promise<void> {
    for (const id of this.#faults) {
      this.#faults.delete(id);
      await ifFound(this.#control.delete(`/faults/${id}`));
    }
  }

  /** Returns the newest event of a type about an order, with its attempts so far. @throws UnseenError if there is none */
  async deliveryOf(
    type: EventType,
    { public_id }: ControlOrder,
  ): Promise<{ event: string; attempts: Attempt[] }> {
    await this.idle();
    const { events } = await this.#control.get('/events', { type, subject_id: public_id });
    const event = events[0]?.id;
    if (event === undefined) throw new UnseenError(`The sandbox has no ${type} of ${public_id}.`);
    const { deliveries } = await this.#control.get('/deliveries', { event_id: event });
    return { event, attempts: deliveries.flatMap(({ attempts }) => attempts).map(attemptOf) };
  }

  /** Delivers an event once more. @returns its attempts */
  async resend(eventId: string): Promise<Attempt[]> {
    const { delivery_id } = await this.#control.post(`/events/${eventId}/resend`);
    await this.idle();
    return (await this.#control.get(`/deliveries/${delivery_id}`)).attempts.map(attemptOf);
  }

  /** Returns the id of the partner's newest request in the log. */
  async newestCall(): Promise<string | undefined> {
    const { requests } = await this.#control.get('/requests', { api: 'partner', limit: 1 });
    return requests[0]?.request_id;
  }

  /** Lists the requests of the partner's integration since another one, oldest first, without requests of sandlot itself. */
  async callsSince(marker: string | undefined, endpoint?: RegExp): Promise<RequestDetail[]> {
    const calls: RequestDetail[] = [];
    const list = (cursor?: string) =>
      this.#control.get('/requests', { api: 'partner', limit: PAGE, cursor });
    for await (const { requests } of pages(list)) {
      for (const { request_id: id, ...request } of requests) {
        if (id === marker) return calls.reverse();
        if (request.partner_id !== this.#partner.partner_id) continue;
        if (endpoint && !endpoint.test(request.endpoint ?? '')) continue;
        const call = await this.#control.get(`/requests/${id}`);
        const agent = call.request.headers.find(([name]) => name?.toLowerCase() === 'user-agent');
        if (!agent?.[1]?.startsWith('sandlot/')) calls.push(call);
      }
    }
    return calls.reverse();
  }

  /** Lists the writes of the integration that name the order or its domain. */
  async writesAbout(
    { public_id, domain }: ControlOrder,
    marker: string | undefined,
  ): Promise<string[]> {
    const calls = await this.callsSince(marker);
    return calls
      .filter(({ method, target, request }) => {
        const text = `${target}\n${request.body ?? ''}`;
        return method !== 'GET' && (text.includes(public_id) || text.includes(domain));
      })
      .map(({ method, endpoint }) => `${method} ${endpoint}`);
  }

  async settleAndRead(check: string): Promise<string | null> {
    await this.session.settle();
    return this.read(check);
  }

  /** Returns the value of the probe; null if there is no working probe. */
  async read(check: string): Promise<string | null> {
    const reading = await this.#options.reader.read(check);
    return isFailure(reading) ? null : reading.text;
  }
}

function attemptOf({ http_status: status, outcome, duration_ms }: DeliveryAttempt): Attempt {
  return { status, outcome, duration_ms, response: null };
}

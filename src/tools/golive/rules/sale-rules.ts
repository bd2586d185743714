import { evidenceOf, identityOf, isAccepted, isGenuine } from '../activity.ts';
import { COMPLETE_ORDER } from '../item.ts';
import { type RequestActivity, text } from '../request-activity.ts';
import { Failures, type ItemRule, isSameFault, must, type Observe } from '../rule.ts';

const ORDER = 'postOrder';
const QUOTE = 'postQuote';
const REFUND = 'postRefund';
const LOST_WITHIN_MS = 60_000;
/** More rejections of a request that no retry can change contradict an item. */
const MAX_FOLLOW_UPS = 3;

/** Adds a rejected request to the rejections that it retries. More than `max` contradict the item. */
function countRepeat(
  rejections: Failures,
  request: RequestActivity,
  max: number,
  observe: Observe,
): void {
  const chain = [...(rejections.findRepeated(request)?.chain ?? []), request];
  if (chain.length > max) {
    observe('contradicted', chain);
    rejections.delete(request);
  } else {
    rejections.add(request, chain);
  }
}

/** Counts requests about one object after its first rejection. More than `max` contradict the item. */
function countFollowUps(
  rejections: Map<string, RequestActivity[]>,
  request: RequestActivity,
  { object, max, isRejected }: { object: string; max: number; isRejected: boolean },
  observe: Observe,
): void {
  const key = `${request.client} ${object}`;
  const chain = rejections.get(key) ?? [];
  if (chain.length === 0 && !isRejected) return;
  chain.push(request);
  rejections.set(key, chain);
  if (chain.length <= max) return;
  observe(
    'contradicted',
    chain.map((request) => evidenceOf(request, object)),
  );
  rejections.delete(key);
}

function isAfter(earlier: RequestActivity, later: RequestActivity): boolean {
  return later.startedAt >= earlier.endedAt;
}

export const SALE_RULES: readonly ItemRule[] = [
  must('sale.quote_used', {
    title: 'Record an order with a quote',
    needs: ['quotes'],
    met: 'An order with a `quote_id` was recorded.',
    steps: ['Request POST /quotes, then POST /orders with its quote_id.'],
    operations: [ORDER],
    observe(_, request, observe) {
      if (request.recordedOrder !== undefined && request.input?.quote_id !== undefined) {
        observe('met', request);
      }
    },
  }),
  must('sale.quote_renewed', {
    title: 'Get a new quote when one has expired',
    needs: ['quotes'],
    met: 'After `quote_expired`, an order came with a new quote for the domain.',
    contradicted: 'The expired quote was sent twice more.',
    steps: [
      'Order `quote-expires.test` with a quote. When it is rejected, get a new quote, and order with it.',
    ],
    operations: [ORDER, QUOTE],
    start: () => ({
      domains: new Map<string, string>(),
      expired: new Map<string, RequestActivity[]>(),
      expiredOfDomain: new Map<string, RequestActivity>(),
      renewed: new Map<string, RequestActivity>(),
    }),
    observe({ domains, expired, expiredOfDomain, renewed }, request, observe) {
      const { client } = request;
      if (request.operation === QUOTE) {
        const quote = text(request.response?.quote_id);
        const domain = text(request.response?.domain);
        if (!isAccepted(request) || quote === undefined || domain === undefined) return;
        domains.set(quote, domain);
        const before = expiredOfDomain.get(`${client} ${domain}`);
        if (before && isAfter(before, request)) renewed.set(`${client} ${quote}`, before);
        return;
      }
      const quote = text(request.input?.quote_id);
      if (quote === undefined || !request.admitted) return;
      const before = renewed.get(`${client} ${quote}`);
      if (before) {
        observe('met', [evidenceOf(before, 'quote expired'), evidenceOf(request, 'new quote')]);
      }
      const domain = domains.get(quote);
      const isRejected = request.code === 'quote_expired';
      if (isRejected && domain !== undefined) expiredOfDomain.set(`${client} ${domain}`, request);
      const object = `quote ${quote}`;
      countFollowUps(expired, request, { object, max: MAX_FOLLOW_UPS - 1, isRejected }, observe);
    },
  }),
  must('sale.price_refreshed', {
    title: 'Order at the new price when it has changed',
    needs: ['price_orders'],
    met: 'After `price_mismatch`, an order for the domain came with another price.',
    contradicted: 'Two retries got `price_mismatch` again.',
    steps: ['Order `price-moves.test`. When it is rejected, read the new price, and order at it.'],
    operations: [ORDER],
    start: () => ({
      prices: new Map<string, { price: unknown; request: RequestActivity }>(),
      retries: new Failures(),
    }),
    observe({ prices, retries }, request, observe) {
      const { input, code, client, admitted } = request;
      const domain = text(input?.domain);
      if (!admitted || domain === undefined || input?.quote_id !== undefined) return;
      observe('used', request);
      const price = input?.expected_price ?? input?.sale_price_cents;
      const key = `${client} ${domain}`;
      const before = prices.get(key);
      if (before && before.price !== price && isAfter(before.request, request)) {
        observe('met', [before.request, evidenceOf(request, 'another price')]);
      }
      if (code !== 'price_mismatch') return;
      prices.set(key, { price, request });
      countRepeat(retries, request, MAX_FOLLOW_UPS - 1, observe);
    },
  }),
  must('sale.key_per_sale', {
    title: 'Use a new Idempotency-Key for each sale',
    needs: ['sales'],
    met: 'Two orders were recorded under different Idempotency-Keys.',
    contradicted: 'An Idempotency-Key was used with another body.',
    steps: ['Place two orders.'],
    operations: [ORDER],
    start: () => new Map<string, RequestActivity>(),
    observe(orders, request, observe) {
      if (
        request.code === 'conflict' &&
        request.idempotency === 'other_body' &&
        isGenuine(request)
      ) {
        observe('contradicted', evidenceOf(request, 'key used with another body'));
      }
      if (request.recordedOrder === undefined || request.idempotencyKey === undefined) return;
      const first = orders.get(request.client);
      orders.set(request.client, request);
      if (first && first.idempotencyKey !== request.idempotencyKey) {
        observe('met', [first, request]);
      }
    },
  }),
  must('sale.retry_same_key', {
    title: 'Retry an order with the same Idempotency-Key',
    needs: ['sales'],
    met: 'After 429, 500 or no response, an order was retried with its Idempotency-Key.',
    contradicted: 'Under the same fault, an identical order came with another key.',
    steps: [
      'sandlot faults add --method POST --path /orders --code internal_error --first 2',
      'Place an order. Retry it with the same Idempotency-Key and body.',
    ],
    operations: [ORDER],
    start: () => new Map<string, RequestActivity>(),
    observe(failures, request, observe) {
      const identity = identityOf(request);
      const before = failures.get(identity);
      if (before && isAfter(before, request) && request.admitted) {
        if (before.idempotencyKey === request.idempotencyKey) {
          observe('met', [before, request]);
        } else if (isSameFault(before, request)) {
          observe('contradicted', [before, evidenceOf(request, 'another key')]);
        }
        failures.delete(identity);
      }
      const { status, idempotencyKey } = request;
      if (idempotencyKey === undefined) return;
      if (!request.complete || status === 429 || status === 500) failures.set(identity, request);
    },
  }),
  must('sale.lost_response', {
    title: 'Find the order after a lost response',
    needs: ['sales'],
    met: 'An order was recorded but got no response, and a retry with its key got the stored response.',
    contradicted:
      'Within 60 s, an identical order came with another key before the first key came again.',
    steps: [
      'sandlot faults add --method POST --path /orders --drop after --times 1',
      'Place an order. Retry it with the same Idempotency-Key and body.',
      'Or order `lost-response.test` without the fault.',
    ],
    operations: [ORDER],
    start: () => new Map<string, RequestActivity>(),
    observe(lostOrders, request, observe) {
      const identity = identityOf(request);
      const before = lostOrders.get(identity);
      if (before && isAfter(before, request) && request.admitted) {
        if (before.idempotencyKey === request.idempotencyKey) {
          if (request.idempotency === 'replayed' && request.complete) {
            observe('met', [before, evidenceOf(request, 'stored response')]);
            lostOrders.delete(identity);
          }
        } else {
          if (request.startedAt - before.endedAt <= LOST_WITHIN_MS) {
            observe('contradicted', [before, evidenceOf(request, 'same body, another key')]);
          }
          lostOrders.delete(identity);
        }
      }
      if (request.recordedOrder !== undefined && !request.complete)
        lostOrders.set(identity, request);
    },
  }),
  must('sale.not_available', {
    title: 'Handle a domain that is not available any more',
    needs: ['sales'],
    met: 'An order got `not_found`, or `conflict` because of the domain.',
    contradicted: 'Three retries got it again.',
    steps: ['Order `sold-meanwhile.test` or `reserved.test`.'],
    operations: [ORDER],
    start: () => new Failures(),
    observe(rejections, request, observe) {
      const { code, failedCheck } = request;
      if (code !== 'not_found' && !(code === 'conflict' && failedCheck === 'rules')) return;
      observe('met', request);
      countRepeat(rejections, request, MAX_FOLLOW_UPS, observe);
    },
  }),
  must('sale.refund_too_late', {
    title: 'Handle a refund that comes too late',
    needs: ['refunds'],
    met: 'A refund got `conflict`.',
    contradicted: 'Three more requests for the same order followed.',
    steps: [COMPLETE_ORDER, 'Refund this order with POST /refunds.'],
    operations: [REFUND],
    start: () => new Map<string, RequestActivity[]>(),
    observe(rejections, request, observe) {
      const order = text(request.input?.public_id);
      if (order === undefined || !request.admitted) return;
      const object = `order ${order}`;
      const isRejected = request.code === 'conflict';
      if (isRejected) observe('met', evidenceOf(request, object));
      countFollowUps(rejections, request, { object, max: MAX_FOLLOW_UPS, isRejected }, observe);
    },
  }),
];

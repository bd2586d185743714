import {
  type Evidence,
  evidenceOf,
  isAccepted,
  isAfter,
  type RequestActivity,
  text,
} from '../activity.ts';
import { COMPLETE_ORDER } from '../item.ts';
import {
  haveSameFault,
  type ItemRule,
  lastRetries,
  must,
  type Observe,
  type Rule,
} from '../rule.ts';

/** A later order of the same content may be a second sale. The texts of the items name this and the next two limits. */
const SAME_SALE_WITHIN_MS = 60_000;
/** Repeats of a rejected request that contradict an item: where a new quote or price helps, and where nothing does. */
const RENEWABLE_REPEATS = 2;
const FINAL_REPEATS = 3;

/** Declares a rule that reads orders. */
function orderRule(read: (observe: Observe) => (request: RequestActivity) => void): Rule {
  return (observe) => ({ postOrder: read(observe) });
}

/** Returns a function to call for each request about an object: `repeats` after a rejection contradict the item. */
function followUpCounter(observe: Observe, repeats: number) {
  const chains = new Map<string, Evidence[]>();
  return (request: RequestActivity, object: string, isRejected: boolean): void => {
    const key = `${request.client} ${object}`;
    const chain = chains.get(key) ?? [];
    if (chain.length === 0 && !isRejected) return;
    chain.push(evidenceOf(request, object));
    chains.set(key, chain);
    if (chain.length <= repeats) return;
    observe('contradicted', chain);
    chains.delete(key);
  };
}

function hasFailed({ complete, status }: RequestActivity): boolean {
  return !complete || status === 429 || status === 500;
}

function isLost({ recordedOrder, complete }: RequestActivity): boolean {
  return recordedOrder !== undefined && !complete;
}

export const SALE_RULES: readonly ItemRule[] = [
  must('sale.quote_used', {
    title: 'Record an order with a quote',
    needs: ['quotes'],
    met: 'An order with a `quote_id` was recorded.',
    steps: ['Request POST /quotes, then POST /orders with its quote_id.'],
    rule: orderRule((observe) => (request) => {
      const { recordedOrder, input } = request;
      if (recordedOrder !== undefined && input?.quote_id != null) observe('met', request);
    }),
  }),
  must('sale.quote_renewed', {
    title: 'Get a new quote when one has expired',
    needs: ['quotes'],
    met: 'After `quote_expired`, an order came with a new quote for the domain.',
    contradicted: 'The expired quote was sent twice more.',
    steps: [
      'Order `quote-expires.test` with a quote. When it is rejected, get a new quote, and order with it.',
    ],
    rule(observe) {
      /** By client and quote: its domain, and the order for it that had got `quote_expired` before. */
      const quotes = new Map<string, { domain: string; before: RequestActivity | undefined }>();
      const expired = new Map<string, RequestActivity>();
      const countFollowUp = followUpCounter(observe, RENEWABLE_REPEATS);
      return {
        postQuote(request) {
          const { quote_id: quote, domain } = request.response ?? {};
          if (!isAccepted(request)) return;
          const before = expired.get(`${request.client} ${domain}`);
          quotes.set(`${request.client} ${quote}`, {
            domain: String(domain),
            before: before && isAfter(before, request) ? before : undefined,
          });
        },
        postOrder(request) {
          const { client, input, admitted } = request;
          const id = text(input?.quote_id);
          if (id === undefined || !admitted) return;
          const { domain, before } = quotes.get(`${client} ${id}`) ?? {};
          if (before) {
            observe('met', [evidenceOf(before, 'quote expired'), evidenceOf(request, 'new quote')]);
          }
          const isRejected = request.code === 'quote_expired';
          if (isRejected && domain !== undefined) expired.set(`${client} ${domain}`, request);
          countFollowUp(request, `quote ${id}`, isRejected);
        },
      };
    },
  }),
  must('sale.price_refreshed', {
    title: 'Order at the new price when it has changed',
    needs: ['price_orders'],
    met: 'After `price_mismatch`, an order for the domain came with another price.',
    contradicted: 'Two retries got `price_mismatch` again.',
    steps: ['Order `price-moves.test`. When it is rejected, read the new price, and order at it.'],
    rule: orderRule((observe) => {
      const mismatches = new Map<string, { price: unknown; request: RequestActivity }>();
      return (request) => {
        const { input, code, client, admitted } = request;
        const domain = text(input?.domain);
        if (!admitted || domain === undefined || input?.quote_id != null) return;
        const price = input?.expected_price ?? input?.sale_price_cents;
        const key = `${client} ${domain}`;
        const before = mismatches.get(key);
        if (before && before.price !== price && isAfter(before.request, request)) {
          observe('met', [before.request, evidenceOf(request, 'another price')]);
        }
        if (code !== 'price_mismatch') return;
        mismatches.set(key, { price, request });
        const requests = lastRetries(request, 1 + RENEWABLE_REPEATS, (each) => each.code === code);
        if (requests) observe('contradicted', requests);
      };
    }),
  }),
  must('sale.key_per_sale', {
    title: 'Use a new Idempotency-Key for each sale',
    needs: ['sales'],
    met: 'Two orders were recorded under different Idempotency-Keys.',
    contradicted: 'An Idempotency-Key was used with another body.',
    steps: ['Place two orders.'],
    rule: orderRule((observe) => {
      const orders = new Map<string, RequestActivity>();
      return (request) => {
        const { client, idempotency, idempotencyKey, recordedOrder } = request;
        if (idempotency === 'other_body') {
          observe('contradicted', evidenceOf(request, 'key used with another body'));
        }
        if (recordedOrder === undefined || idempotencyKey === undefined) return;
        const before = orders.get(client);
        orders.set(client, request);
        if (before && before.idempotencyKey !== idempotencyKey) observe('met', [before, request]);
      };
    }),
  }),
  {
    items: [
      {
        id: 'sale.retry_same_key',
        level: 'must',
        title: 'Retry an order with the same Idempotency-Key',
        needs: ['sales'],
        met: 'After 429, 500 or no response, an order was retried with its Idempotency-Key.',
        contradicted:
          'Under the same fault, an identical order came with another key, and the first key never again.',
        steps: [
          'sandlot faults add --method POST --path /orders --code internal_error --first 2',
          'Place an order. Retry it with the same Idempotency-Key and body.',
        ],
      },
      {
        id: 'sale.lost_response',
        level: 'must',
        title: 'Find the order after a lost response',
        needs: ['sales'],
        met: 'An order was recorded but got no response, and a retry with its key got the stored response.',
        contradicted:
          'Within 60 s, an identical order came with another key, and the first key never again.',
        steps: [
          'sandlot faults add --method POST --path /orders --drop after --times 1',
          'Place an order. Retry it with the same Idempotency-Key and body.',
          'Or order `lost-response.test` without the fault.',
        ],
      },
    ],
    rule(observe) {
      /** By retry, the first order of its series whose response was lost. */
      const lost = new Map<RequestActivity, RequestActivity>();
      const newestByBody = new Map<string, RequestActivity>();
      /** By order, an identical one with another key. Parallel tests with equal data send these too, and retry both. */
      const replaced = new Map<RequestActivity, RequestActivity>();
      return {
        postOrder(request) {
          const { client, bodySha256, previous, idempotencyKey } = request;
          if (!request.admitted || idempotencyKey === undefined) return;
          const before = newestByBody.get(`${client} ${bodySha256}`);
          newestByBody.set(`${client} ${bodySha256}`, request);
          if (previous === undefined) {
            const isOther = before && !before.previous && before.idempotencyKey !== idempotencyKey;
            if (isOther && isAfter(before, request)) replaced.set(before, request);
            return;
          }
          replaced.delete(previous);
          if (hasFailed(previous)) observe('met', [previous, request], 'sale.retry_same_key');
          const first = isLost(previous) ? previous : lost.get(previous);
          if (!first) return;
          lost.set(request, first);
          if (request.idempotency !== 'replayed' || !request.complete) return;
          observe('met', [first, evidenceOf(request, 'stored response')], 'sale.lost_response');
        },
        end() {
          for (const [before, request] of replaced) {
            const proofs = [before, evidenceOf(request, 'same body, another key')];
            const isLate = request.startedAt - before.endedAt > SAME_SALE_WITHIN_MS;
            if (isLost(before) && !isLate) observe('contradicted', proofs, 'sale.lost_response');
            if (!hasFailed(before) || !haveSameFault(before, request)) continue;
            observe('contradicted', proofs, 'sale.retry_same_key');
          }
        },
      };
    },
  },
  must('sale.not_available', {
    title: 'Handle a domain that is not available any more',
    needs: ['sales'],
    met: 'An order got `not_found`, or `conflict` because of the domain.',
    contradicted: 'Three retries got it again.',
    steps: ['Order `sold-meanwhile.test` or `reserved.test`.'],
    rule: orderRule((observe) => (request) => {
      // With a quote, the conflict is that an order has used it: a quote reserves its domain. The `input` of an earlier
      // request is gone, but the retries of an order are identical.
      const isUnavailable = ({ code, failedCheck, input }: RequestActivity) =>
        code === 'not_found' ||
        (code === 'conflict' && failedCheck === 'rules' && input?.quote_id == null);
      if (!isUnavailable(request)) return;
      observe('met', request);
      const requests = lastRetries(request, 1 + FINAL_REPEATS, isUnavailable);
      if (requests) observe('contradicted', requests);
    }),
  }),
  must('sale.refund_too_late', {
    title: 'Handle a refund that comes too late',
    needs: ['refunds'],
    met: 'A refund got `conflict`.',
    contradicted: 'Three more requests for the same order followed.',
    steps: [COMPLETE_ORDER, 'Refund this order with POST /refunds.'],
    rule(observe) {
      const countFollowUp = followUpCounter(observe, FINAL_REPEATS);
      return {
        postRefund(request) {
          const order = text(request.input?.public_id);
          if (order === undefined || !request.admitted) return;
          const isRejected = request.code === 'conflict';
          if (isRejected) observe('met', evidenceOf(request, `order ${order}`));
          countFollowUp(request, `order ${order}`, isRejected);
        },
      };
    },
  }),
];

import { ORDER_STATUSES } from '../../../store/schema/order-states.ts';
import {
  isAccepted,
  isAcknowledged,
  nextCursorOf,
  type RequestActivity,
  rows,
  text,
} from '../activity.ts';
import { attemptEvidence, requestEvidence, requestsEvidence } from '../evidence.ts';
import { type AnyRule, BoundedMap, rule } from '../rule.ts';

const STATUSES = new Set<string>(ORDER_STATUSES);
const CURSORS = ['cursor', 'after_id'];

interface Paging {
  /** What the next request must pass; undefined if the log lacks it. */
  cursor: string | undefined;
  requests: RequestActivity[];
}

function statusesIn({ operation, response }: RequestActivity): string[] {
  const shown =
    operation === 'getOrder'
      ? [response ?? {}]
      : operation === 'getOrders'
        ? rows(response, 'orders')
        : rows(response, 'transactions').filter((row) => row.order_public_id !== null);
  const statuses = shown.map(({ status }) => text(status) ?? '');
  return [...new Set(statuses)].filter((status) => STATUSES.has(status));
}

function splitQuery(query: string): { rest: string; cursor: string | undefined } {
  if (query === '') return { rest: '', cursor: undefined };
  const parameters = new URLSearchParams(query);
  let cursor: string | undefined;
  for (const name of CURSORS) {
    cursor ??= parameters.get(name) ?? undefined;
    parameters.delete(name);
  }
  return { rest: parameters.toString(), cursor };
}

export function makeFamilyRules(lists: readonly string[]): AnyRule[] {
  return [
    rule({
      item: 'call',
      reads: ['request'],
      // The options by operation.
      start: () => new Map<string, { item: string }>(),
      observe(known, request, observe) {
        const { admitted, operation } = request;
        if (operation === undefined || !admitted) return;
        const options = known.get(operation) ?? { item: `call.${operation}` };
        known.set(operation, options);
        observe('used', requestEvidence(request), options);
        if (isAccepted(request)) observe('met', requestEvidence(request), options);
      },
    }),
    rule({
      item: 'error',
      reads: ['request'],
      ignoresSuccessfulReads: true,
      observe(_, request, observe) {
        const { code, complete } = request;
        if (code && complete) observe('met', requestEvidence(request), { item: `error.${code}` });
      },
    }),
    rule({
      item: 'event',
      reads: ['attempt'],
      observe(_, attempt, observe) {
        if (!isAcknowledged(attempt)) return;
        observe('met', attemptEvidence(attempt), { item: `event.${attempt.type}` });
      },
    }),
    rule({
      item: 'status',
      reads: ['request', 'attempt'],
      operations: ['getOrders', 'getOrder', 'getTransactions'],
      observe(_, activity, observe) {
        if (activity.kind === 'attempt') {
          const { orderStatus = '' } = activity;
          if (!isAcknowledged(activity) || !STATUSES.has(orderStatus)) return;
          observe('met', attemptEvidence(activity, orderStatus), { item: `status.${orderStatus}` });
          return;
        }
        if (!isAccepted(activity)) return;
        for (const status of statusesIn(activity)) {
          observe('met', requestEvidence(activity, status), { item: `status.${status}` });
        }
      },
    }),
    rule({
      item: 'list',
      reads: ['request'],
      operations: lists,
      start: () => new BoundedMap<Paging>(),
      observe(readings, request, observe) {
        if (!isAccepted(request)) return;
        const { client, operation, query } = request;
        const { rest, cursor } = splitQuery(query);
        const key = `${client} ${operation} ${rest}`;
        const reading = readings.get(key);
        readings.delete(key);
        if (cursor !== undefined && !reading) return;
        if (cursor !== undefined && cursor !== (reading?.cursor ?? cursor)) return;
        const requests = cursor === undefined ? [request] : [...(reading?.requests ?? []), request];
        const next = nextCursorOf(request);
        if (next !== null) readings.set(key, { cursor: next, requests: requests.slice(-2) });
        else if (requests.length > 1) {
          observe('met', requestsEvidence(requests), { item: `list.${operation}` });
        }
      },
    }),
  ];
}

import { z } from 'zod';
import { countOf } from '../../kernel/count.ts';
import { parseJson } from '../../kernel/json.ts';
import type { OrderRow } from '../../market/orders/orders.ts';
import { isSale, type Violation, violation, WITHOUT_EVENT } from './properties.ts';
import type { Traffic } from './traffic.ts';

/** A sale as the app has it. `order` is null until the app knows its id. What is null or left out is not compared. */
const stateRow = z.object({
  order: z.string().nullable(),
  ref: z.string().nullish(),
  domain: z.string(),
  status: z.string().nullish(),
  price_cents: z.number().nullish(),
  fulfilled: z.number().nullish(),
  refunded: z.union([z.number(), z.boolean()]).nullish(),
  pending: z.boolean().nullish(),
});
type StateRow = z.output<typeof stateRow>;

/** Reads what `--state` printed. @returns the sales, or why they cannot be used */
export function readState(stdout: string | undefined): StateRow[] | string {
  if (stdout === undefined) return 'it printed more than 1 MB';
  const value = parseJson(stdout);
  if (value === undefined) return 'it printed no JSON';
  const { data, error } = z.array(stateRow).safeParse(value);
  const [issue] = error?.issues ?? [];
  const at = issue?.path.join('.') || 'the document';
  return data ?? `it must print an array of sales: ${at}: ${issue?.message}`;
}

/** Returns the `state.*` properties that do not hold. */
export function stateViolations(rows: readonly StateRow[], { orders }: Traffic): Violation[] {
  const rowsByOrder = Map.groupBy(rows, ({ order }) => order);
  return [
    ...orders.flatMap((order) => {
      const [row, ...more] = rowsByOrder.get(order.id) ?? [];
      if (row && more.length === 0) return differences(row, order);
      const times = row ? `has it ${countOf(more.length + 1, 'time')}` : 'does not know it';
      const sentence = `The marketplace recorded order ${order.id} for ${order.domain}. The app ${times}.`;
      return violation('state.known', sentence, order.domain);
    }),
    ...rows.flatMap(({ order, domain, pending }) => {
      const isKnown = order === null || orders.some(({ id }) => id === order);
      const unknown = `The marketplace never recorded order ${order} of the app.`;
      const waiting = `The app's sale of ${domain} is still pending.`;
      return [
        ...(isKnown ? [] : [violation('state.known', unknown, domain)]),
        ...(pending ? [violation('state.pending', waiting, domain)] : []),
      ];
    }),
  ];
}

function differences(row: StateRow, order: OrderRow): Violation[] {
  const { id, status, domain } = order;
  // Money goes back for a cancelled order too. An order that is undone after its transfer is not fulfilled.
  const completed = Number(status === 'TRANSFER_COMPLETED' || status === 'SETTLED');
  const refunded = Number(!isSale(order));
  // Without an event of the status, the app may still have the one before.
  const appStatus = WITHOUT_EVENT.get(status) === row.status ? status : row.status;
  const same = (name: string, app: unknown, market: unknown, property = 'state.same_sale') => {
    const sentence = `The app's ${name} of order ${id} is ${app}. That of the marketplace is ${market}.`;
    return (app ?? market) === market ? [] : violation(property, sentence, domain);
  };
  const times = (did: string, marketDid: string, app: number, market: number) => {
    const sentence = `The app ${did} order ${id} ${timesOf(app)}. The marketplace ${marketDid} it ${timesOf(market)}.`;
    return app === market ? [] : violation(`state.${did}`, sentence, domain);
  };
  return [
    same('domain', row.domain, domain),
    same('ref', row.ref, order.externalPaymentRef),
    same('price_cents', row.price_cents, order.salePriceCents),
    same('status', appStatus, status, 'state.status'),
    times('fulfilled', 'completed', row.fulfilled ?? completed, completed),
    times('refunded', 'refunded', Number(row.refunded ?? refunded), refunded),
  ].flat();
}

const timesOf = (count: number) => ['never', 'once'][count] ?? countOf(count, 'time');

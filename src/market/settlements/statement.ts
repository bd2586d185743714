import { countedPage, type Fields, resource } from '../../kernel/resource.ts';
import { type NamedOwner, OWNER_HEADINGS, ownerFields } from '../../store/owner-fields.ts';
import { STATEMENT_STATUSES } from '../../store/schema/enums.ts';
import { CURRENCY } from '../defaults.ts';
import type { StatementRow } from './periods.ts';

/** A settlement statement. The amount owed is gross minus commission. */
const statement = resource(
  'SettlementStatement',
  'Gross sold, commission retained and amount owed in one period.',
  ({ id, time, oneOf, count, amount, currency }: Fields<StatementRow>) => ({
    statement_id: id('stm').from((row) => row.id),
    period_start: time(),
    period_end: time(),
    status: oneOf(STATEMENT_STATUSES).from((row) => (row.closed ? 'CLOSED' : 'OPEN')),
    order_count: count().from(({ sums }) => sums.count),
    gross_sold_cents: amount().from(({ sums }) => sums.amountCents),
    commission_retained_cents: amount().from(({ sums }) => sums.commissionCents),
    amount_owed_cents: amount().from(({ sums }) => sums.amountCents - sums.commissionCents),
    currency: currency().from(() => CURRENCY),
  }),
);
export const statementPage = statement.page('SettlementPage', 'settlements');

export const controlStatement = statement
  .extend(
    'ControlStatement',
    'A settlement statement with its partner.',
    ownerFields<StatementRow & NamedOwner>,
  )
  .display(
    {
      statement_id: 'Statement',
      status: 'Status',
      order_count: 'Orders',
      gross_sold_cents: 'Gross sold',
      commission_retained_cents: 'Commission',
      amount_owed_cents: 'Owed',
      ...OWNER_HEADINGS,
      period_start: 'Start',
      period_end: 'End',
    },
    [
      'statement_id',
      'status',
      'order_count',
      'gross_sold_cents',
      'amount_owed_cents',
      'partner',
      'period_start',
      'period_end',
    ],
  );
export const controlStatementPage = countedPage(
  controlStatement,
  'ControlStatementPage',
  'settlements',
);

const settledOrder = resource(
  'SettledOrder',
  'An order that the run settled.',
  (f: Fields<NamedOwner & { id: string }>) => ({
    public_id: f.id('ord').from((row) => row.id),
    ...ownerFields(f),
  }),
).display({ public_id: 'Order', ...OWNER_HEADINGS }, ['public_id', 'partner', 'environment']);

interface SettlementRunRow {
  settledOrders: (NamedOwner & { id: string })[];
  statements: (StatementRow & NamedOwner)[];
}

export const settlementRun = resource(
  'SettlementRun',
  'The periods that a settlement run closed, and the orders that it settled.',
  ({ count, list }: Fields<SettlementRunRow>) => ({
    settled_count: count().from(({ settledOrders }) => settledOrders.length),
    orders: list(settledOrder).from(({ settledOrders }) => settledOrders),
    statements: list(controlStatement),
  }),
).display({ settled_count: 'Settled', orders: 'Orders' });

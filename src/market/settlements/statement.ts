import { type Fields, resource } from '../../kernel/resource.ts';
import { OWNER_HEADINGS, ownerFields } from '../../store/owner-fields.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { CURRENCY } from '../defaults.ts';
import type { StatementRow } from './periods.ts';

/** A settlement statement. Owed is gross less commission. */
export const statement = resource(
  'SettlementStatement',
  'Gross sold, commission retained and amount owed in one period.',
  ({ id, time, oneOf, count, amount, currency }: Fields<StatementRow>) => ({
    statement_id: id('stm').from((row) => row.id),
    period_start: time(),
    period_end: time(),
    status: oneOf(['OPEN', 'CLOSED']).from((row) => (row.closed ? 'CLOSED' : 'OPEN')),
    order_count: count().from(({ sums }) => sums.count),
    gross_sold_cents: amount().from(({ sums }) => sums.amountCents),
    commission_retained_cents: amount().from(({ sums }) => sums.commissionCents),
    amount_owed_cents: amount().from(({ sums }) => sums.amountCents - sums.commissionCents),
    currency: currency().from(() => CURRENCY),
  }),
);
export const statementPage = statement.page('SettlementPage', 'settlements');

const controlStatement = statement.extend(
  'ControlStatement',
  'A settlement statement with its partner.',
  ownerFields,
);

const settledOrder = resource(
  'SettledOrder',
  'An order that the run settled.',
  (f: Fields<Owner & { id: string }>) => ({
    public_id: f.id('ord').from((row) => row.id),
    ...ownerFields(f),
  }),
).display({ public_id: 'Order', ...OWNER_HEADINGS }, ['public_id', 'partner_id', 'environment']);

/** Making a response of more would hold up other requests. */
const MAX_LISTED = 10_000;

interface SettlementRunRow {
  settled: (Owner & { id: string })[];
  statements: StatementRow[];
}

export const settlementRun = resource(
  'SettlementRun',
  'The periods that a settlement run closed, and the first 10,000 orders that it settled.',
  ({ count, list }: Fields<SettlementRunRow>) => ({
    settled_count: count().from(({ settled }) => settled.length),
    orders: list(settledOrder).from(({ settled }) => settled.slice(0, MAX_LISTED)),
    statements: list(controlStatement),
  }),
).display({ settled_count: 'Settled', orders: 'Orders' });

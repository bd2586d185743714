import { countedPage, type Fields, resource } from '../../kernel/resource.ts';
import { type NamedOwner, OWNER_HEADINGS, ownerFields } from '../../store/owner-fields.ts';
import type { Page } from '../../store/paging.ts';
import { PAYMENT_MODELS, TRANSACTION_STATUSES } from '../../store/schema/enums.ts';
import type { Totals } from './totals.ts';
import type { Sale } from './transactions.ts';

const transaction = resource(
  'Transaction',
  'A sale of any payment model.',
  ({ id, text, oneOf, amount, currency, time }: Fields<Sale>) => ({
    transaction_id: id('txn').from((row) => row.id),
    domain: text(),
    payment_model: oneOf(PAYMENT_MODELS).specified(),
    status: oneOf(TRANSACTION_STATUSES),
    sale_price_cents: amount(),
    commission_cents: amount(),
    currency: currency(),
    order_public_id: id('ord')
      .nullable()
      .from((row) => row.orderId),
    created_at: time(),
  }),
).display({
  transaction_id: 'Transaction',
  domain: 'Domain',
  payment_model: 'Model',
  status: 'Status',
  sale_price_cents: 'Price',
  commission_cents: 'Commission',
});

const totals = resource(
  'TransactionTotals',
  'Sums over all sales that match the filter; refunded and cancelled sales are not counted.',
  ({ count, amount, currency }: Fields<Totals>) => ({
    count: count(),
    gmv_cents: amount(),
    commission_cents: amount(),
    currency: currency(),
  }),
);

export const transactionPage = resource(
  'TransactionPage',
  'Sales, newest first, with the totals of all that match the filter.',
  ({ list, object, nextCursor }: Fields<Page<Sale> & { totals: Totals }>) => ({
    transactions: list(transaction).from((page) => page.rows),
    totals: object(totals),
    next_cursor: nextCursor().from((page) => page.next_cursor),
  }),
);

export const controlTransaction = transaction
  .extend('ControlTransaction', 'A sale with its partner.', ownerFields<Sale & NamedOwner>)
  .display({ order_public_id: 'Order', ...OWNER_HEADINGS, created_at: 'Created' }, [
    'transaction_id',
    'domain',
    'status',
    'payment_model',
    'sale_price_cents',
    'commission_cents',
    'partner',
    'created_at',
  ]);
export const controlTransactionPage = countedPage(
  controlTransaction,
  'ControlTransactionPage',
  'transactions',
);

/**
 * What a file says about a column: `keep` is written (texts with the same replacements as everywhere), `secret` is
 * masked, `personal` is replaced as a whole, `rebuilt` is left out because the world makes it again.
 */
export type ColumnPolicy = 'keep' | 'secret' | 'personal' | 'rebuilt';

type Policies = Readonly<Record<string, ColumnPolicy>>;

/** Columns that are kept, by spaces, and the others. */
function columns(kept: string, others: Policies = {}): Policies {
  return { ...Object.fromEntries(kept.split(' ').map((name) => [name, 'keep'])), ...others };
}

function rebuilt(names: string): Policies {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'rebuilt']));
}

/**
 * Every column of every table of a world, in an order in which rows can be inserted. A file may name only these.
 * Search indexes are virtual tables, which are made from the listings.
 */
export const COLUMN_POLICIES: Readonly<Record<string, Policies>> = {
  world: columns(
    'id name seed inventory clock_offset_ms clock_frozen_at created_at saved_at id_series',
    { token_key: 'rebuilt' },
  ),
  counters: columns('name value'),
  partners: columns('partner_id name created_at'),
  credentials: columns(
    'key_id partner_id environment scopes affiliate approved coverage created_at',
    {
      secret: 'secret',
    },
  ),
  nonces: columns('id used_at uses'),
  rate_windows: columns('key_id rate_class hits'),
  idempotency_keys: columns('id key_id idempotency_key fingerprint status body created_at'),
  listings: columns(
    'id environment domain tld length category keywords description price_cents floor_price_cents currency status words',
  ),
  listing_counts: rebuilt('environment status count'),
  quotes: columns(
    'id partner_id environment domain price_cents currency created_at expires_at order_id',
  ),
  orders: columns(
    'id partner_id environment domain status sale_price_cents commission_cents currency buyer_country external_payment_ref quote_token return_url cancel_url created_at updated_at completed_at statement_id transaction_id',
    { buyer_email: 'personal', buyer_name: 'personal' },
  ),
  order_timeline: columns('id order_id status at event note'),
  scheduled_moves: columns('order_id action due_at'),
  refunds: columns('id order_id reason created_at'),
  checkout_sessions: columns(
    'id partner_id environment domain price_cents currency return_url cancel_url link_id status created_at expires_at',
    { buyer_email: 'personal' },
  ),
  brokerage_cases: columns(
    'id partner_id environment domain tier status budget_cents currency deal_price_cents created_at updated_at',
    { buyer_email: 'personal' },
  ),
  case_timeline: columns('id case_id status at event note'),
  links: columns(
    'id code partner_id environment kind domain product label created_at clicks sales',
  ),
  clicks: columns('id link_id partner_id environment at'),
  transactions: columns(
    'id partner_id environment domain payment_model status sale_price_cents commission_cents currency session_id case_id link_id buyer_country created_at payout_id',
    { buyer_email: 'personal', buyer_name: 'personal' },
  ),
  ledger: columns(
    'id partner_id environment transaction_id entry amount_cents delta_cents balance_cents currency payout_id created_at',
  ),
  settlement_periods: columns(
    'id partner_id environment period_start period_end closed order_count gross_cents commission_cents',
  ),
  payouts: columns('id partner_id environment amount_cents currency created_at'),
  daily_totals: columns('partner_id environment kind day count amount_cents commission_cents'),
  events: columns('id partner_id environment type data subject_id created_at'),
  webhooks: columns('partner_id environment active created_at updated_at', {
    url: 'personal',
    secret: 'secret',
  }),
  deliveries: columns(
    'id event_id partner_id environment status attempt_count next_attempt_at created_at fault',
    { url: 'personal' },
  ),
  delivery_attempts: columns('id delivery_id at outcome http_status duration_ms', {
    response: 'personal',
  }),
  faults: columns('seq id match effect webhook times matched hits configured created_at'),
  // Evidence for the go-live report, on which no recorded response depends.
  observations: rebuilt('item result rev count first_at last_at evidence'),
  observed_run: rebuilt('id run worlds requests attempts'),
  // The next `seq` of a fault, also after the last one was deleted.
  sqlite_sequence: columns('name seq'),
};

export function isKnownTable(table: string): boolean {
  return Object.hasOwn(COLUMN_POLICIES, table) && !isRebuilt(table);
}

/** Whether a file may name the column. */
export function isKnownColumn(table: string, column: string): boolean {
  const policy = policyOf(table, column);
  return policy !== undefined && policy !== 'rebuilt';
}

export function policyOf(table: string, column: string): ColumnPolicy | undefined {
  const policies = Object.hasOwn(COLUMN_POLICIES, table) ? COLUMN_POLICIES[table] : undefined;
  return policies && Object.hasOwn(policies, column) ? policies[column] : undefined;
}

/** The tables whose rows a file contains, with the columns that it names. */
export function writtenTables(): { table: string; columns: string[] }[] {
  return Object.entries(COLUMN_POLICIES)
    .map(([table, policies]) => ({
      table,
      columns: Object.keys(policies).filter((column) => policies[column] !== 'rebuilt'),
    }))
    .filter(({ columns }) => columns.length > 0);
}

function isRebuilt(table: string): boolean {
  return Object.values(COLUMN_POLICIES[table] ?? {}).every((policy) => policy === 'rebuilt');
}

/** Allowed values of columns. This module loads no database, so the command line imports it too. */
import { ORDER_STATUSES, type OrderStatus } from './order-states.ts';

export const ENVIRONMENTS = ['SANDBOX', 'LIVE'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Scopes of a credential (specification, "Credential"). */
export const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const;
export type Scope = (typeof SCOPES)[number];

export const LISTING_STATUSES = ['listed', 'sold'] as const;
export type ListingStatus = (typeof LISTING_STATUSES)[number];

/** `add` rejects existing domains, `replace` makes the file the whole inventory. */
export const IMPORT_MODES = ['add', 'replace'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/** Every event of the specification ("Events"). It names no event of `transfer.*`, so none is emitted. */
export const EVENT_TYPES = [
  'order.recorded',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
  'brokerage.case_completed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Payment models whose money the marketplace collects. Sales of the other model are orders. */
export const COLLECTED_MODELS = ['marketplace_collected', 'brokerage'] as const;
export const PAYMENT_MODELS = ['partner_collected', ...COLLECTED_MODELS] as const;
export type PaymentModel = (typeof PAYMENT_MODELS)[number];

/** States of a sale without an order; the sale of an order has the order's state. */
export const SALE_STATUSES = ['PAID', 'DELIVERED', 'REFUNDED'] as const;
export type SaleStatus = (typeof SALE_STATUSES)[number];

/** Statuses of a transaction: of orders and of sales without an order, which share REFUNDED. */
export const TRANSACTION_STATUSES = [
  ...ORDER_STATUSES,
  'PAID',
  'DELIVERED',
] as const satisfies readonly (OrderStatus | SaleStatus)[];

export const COMMISSION_ENTRIES = ['ACCRUED', 'PENDING', 'PAID_OUT', 'REVERSED'] as const;
export type CommissionEntry = (typeof COMMISSION_ENTRIES)[number];

export const STATEMENT_STATUSES = ['OPEN', 'CLOSED'] as const;

export const SESSION_STATUSES = ['OPEN', 'PAID', 'CANCELLED'] as const;
/** As operators see a session: one that is stored as OPEN is EXPIRED from `expires_at` on. */
export const SESSION_STATES = [...SESSION_STATUSES, 'EXPIRED'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export const CASE_STATUSES = ['OPEN', 'NEGOTIATING', 'COMPLETED', 'CLOSED'] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

export const TIERS = ['managed', 'self_serve'] as const;
export type Tier = (typeof TIERS)[number];

export const LINK_KINDS = ['generic', 'domain', 'product'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Specification, "Limits": `reporting` is settlements, transactions and payouts, and `default` everything else. */
export const RATE_CLASSES = ['search', 'write', 'reporting', 'default'] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

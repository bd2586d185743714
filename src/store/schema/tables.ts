import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { brokerageCases, caseTimeline } from './brokerage.ts';
import { checkoutSessions } from './checkout.ts';
import { deliveries, deliveryAttempts, events, webhooks } from './events.ts';
import { faults } from './faults.ts';
import { listings } from './inventory.ts';
import { ledger, payouts, refunds, settlementPeriods, transactions } from './money.ts';
import { orders, orderTimeline, quotes, scheduledMoves } from './orders.ts';
import { credentials, idempotencyKeys, partners } from './partners.ts';
import { clicks, links } from './referrals.ts';
import { counters, worldTable } from './world.ts';

/** The tables of a world, in an order in which their rows can be inserted. A repro file contains them in this order. */
export const TABLES: readonly SQLiteTable[] = [
  [worldTable, counters],
  [partners, credentials, idempotencyKeys],
  [listings],
  [quotes, orders, orderTimeline, scheduledMoves, refunds],
  [checkoutSessions],
  [brokerageCases, caseTimeline],
  [links, clicks],
  [transactions, ledger, settlementPeriods, payouts],
  [events, webhooks, deliveries, deliveryAttempts],
  [faults],
].flat();

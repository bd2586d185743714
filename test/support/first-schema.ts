import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { formatId } from '../../src/kernel/ids.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { stateFolder, worldFileIn } from './state-folder.ts';

const SEED = 'sandlot';
/** "slot". */
const APPLICATION_ID = 0x736c6f74;

/** An order as a sandlot wrote it that knew no ledger yet. */
export interface OldOrder {
  partner: string;
  environment: 'SANDBOX' | 'LIVE';
  domain: string;
  status: string;
  price: number;
  commission: number;
  created: string;
  updated: string;
  completed: string | null;
}

/**
 * A state folder whose world was last written by the first migration's sandlot: clock frozen, `ptr_local` and
 * another partner, one listing that sells over and over, and these orders, oldest first.
 */
export function stateOfFirstSchema(orders: readonly OldOrder[], now: string): string {
  const folder = stateFolder();
  fs.mkdirSync(path.dirname(worldFileIn(folder)), { recursive: true });
  const db = new Database(worldFileIn(folder));
  const [first = ''] = MIGRATIONS;
  db.exec(first);
  db.pragma('user_version = 1');
  db.pragma(`application_id = ${APPLICATION_ID}`);
  const insert = (table: string, row: Record<string, string | number | null>) => {
    const names = Object.keys(row);
    const marks = names.map(() => '?').join(', ');
    db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(
      ...Object.values(row),
    );
  };
  const at = Date.parse(now);
  insert('world', {
    id: 1,
    name: 'default',
    seed: SEED,
    inventory: 1,
    token_key: 'key',
    clock_offset_ms: 0,
    clock_frozen_at: at,
    created_at: at,
  });
  const born = Date.parse('2026-01-10T08:00:00.000Z');
  for (const name of ['local', 'other']) {
    insert('partners', { partner_id: `ptr_${name}`, name, created_at: born });
  }
  insert('listings', {
    id: 1,
    environment: 'SANDBOX',
    domain: 'held-order.test',
    tld: 'test',
    length: 10,
    category: 'Magic',
    keywords: '[]',
    description: 'held',
    price_cents: 250_000,
    floor_price_cents: 200_000,
    currency: 'USD',
    status: 'listed',
  });
  for (const [n, order] of orders.entries()) {
    const id = formatId('ord', SEED, n + 1);
    insert('orders', {
      id,
      partner_id: order.partner,
      environment: order.environment,
      domain: order.domain,
      status: order.status,
      sale_price_cents: order.price,
      commission_cents: order.commission,
      currency: 'USD',
      buyer_email: 'old-buyer@example.com',
      created_at: Date.parse(order.created),
      updated_at: Date.parse(order.updated),
      completed_at: order.completed === null ? null : Date.parse(order.completed),
    });
    insert('order_timeline', {
      order_id: id,
      status: 'EXTERNALLY_PAID',
      at: Date.parse(order.created),
      event: 'order.recorded',
    });
  }
  if (orders.length > 0) insert('counters', { name: 'ord', value: orders.length });
  db.close();
  return folder;
}

/** Rows of a world on disk, read through a connection of its own. */
export function rowsIn<Row>(folder: string, query: string): Row[] {
  const db = new Database(worldFileIn(folder), { readonly: true });
  try {
    return db.prepare(query).all() as Row[];
  } finally {
    db.close();
  }
}

// A shop that sells domains of the marketplace: node shop.mjs, or with state, catch-up or reset.
// Settings: PORT, DB (a file), CLIENT_TIMEOUT_MS; WORKER_MS if a worker makes the calls, at least so long after a purchase.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ATTEMPTS, bodyOf, call, isGenuine, isTemporary, parse, pause, send } from './client.mjs';

const { PORT = '3000', DB = 'shop.db', WORKER_MS } = process.env;
const HAS_WORKER = WORKER_MS !== undefined;
const STATUS_CODES = { ordered: 200, pending: 202, failed: 402 };

const SCHEMA = `
  PRAGMA busy_timeout = 3000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS sales (
    id TEXT PRIMARY KEY, ref TEXT, domain TEXT, accepted_at INTEGER, status TEXT DEFAULT 'pending',
    quote_id TEXT, price_cents INTEGER, idempotency_key TEXT, order_id TEXT UNIQUE,
    refund TEXT, confirmed INTEGER DEFAULT 0, fulfilled INTEGER DEFAULT 0, refunded INTEGER DEFAULT 0
  );
  CREATE TABLE IF NOT EXISTS events (
    id TEXT PRIMARY KEY, type TEXT, order_id TEXT, status TEXT, created_at TEXT
  );
  CREATE TABLE IF NOT EXISTS progress (after_id TEXT);
`;

export class Shop {
  #busy = new Set();

  constructor() {
    this.db = new DatabaseSync(DB);
    this.db.exec(SCHEMA);
  }

  transaction(task) {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      task();
      this.db.exec('COMMIT');
    } catch (error) {
      this.db.exec('ROLLBACK');
      throw error;
    }
  }

  find(id) {
    return this.db.prepare('SELECT * FROM sales WHERE id = ?').get(id);
  }

  set(id, fields) {
    const columns = Object.keys(fields).map((name) => `${name} = ?`);
    this.db
      .prepare(`UPDATE sales SET ${columns.join(', ')} WHERE id = ?`)
      .run(...Object.values(fields), id);
  }

  // Selling: the database says what comes next, so that a killed shop goes on where it was.

  /** Records what a buyer wants. The same reference is the same purchase. */
  add({ domain, ref }, id = ref) {
    this.db
      .prepare('INSERT OR IGNORE INTO sales (id, ref, domain, accepted_at) VALUES (?, ?, ?, ?)')
      .run(id, ref, domain, Date.now());
  }

  /** Makes the calls that a sale needs, unless they are being made. */
  async work(id) {
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    try {
      await this.order(id);
      await this.refund(id);
    } finally {
      this.#busy.delete(id);
    }
  }

  async order(id) {
    for (let failures = 0; failures < ATTEMPTS; ) {
      const sale = this.find(id);
      if (sale?.status !== 'pending') return;
      const isQuoted = sale.quote_id !== null;
      const answer = isQuoted ? await this.postOrder(sale) : await this.postQuote(sale);
      const { status, body } = answer;
      if (isTemporary(answer)) {
        failures += 1;
        await this.retry(sale, failures, answer);
      } else if (status === 201 && isQuoted) await this.accept(sale, body);
      else if (status === 201) this.saveQuote(sale, body);
      else if (body.error.code === 'quote_expired') {
        failures += 1;
        this.startOver(sale);
      } else this.fail(sale);
    }
  }

  postQuote({ domain }) {
    return send('POST', '/quotes', { data: { domain } });
  }

  postOrder({ quote_id, ref, idempotency_key: key }) {
    return send('POST', '/orders', { data: { quote_id, external_payment_ref: ref }, key });
  }

  /** Called before the next attempt, which has the same quote and Idempotency-Key. */
  retry(_sale, failures, answer) {
    return pause(failures, answer);
  }

  /** Charges the buyer, and stores the Idempotency-Key before the call that needs it. */
  saveQuote({ id }, { quote_id, price_cents }) {
    this.set(id, { quote_id, price_cents, idempotency_key: randomUUID() });
  }

  startOver({ id }) {
    this.set(id, { quote_id: null, idempotency_key: null });
  }

  fail({ id }) {
    this.set(id, { status: 'failed' });
  }

  /** Events of the order may have come before it. */
  accept({ id }, { public_id: order_id }) {
    this.transaction(() => {
      this.set(id, { status: 'ordered', order_id });
      const events = this.db.prepare('SELECT * FROM events WHERE order_id = ?').all(order_id);
      for (const event of events) this.act(this.find(id), event);
    });
  }

  async refund(id) {
    for (let failures = 1; failures <= ATTEMPTS; failures += 1) {
      const sale = this.find(id);
      if (sale?.refund !== 'asked' || sale.order_id === null) return;
      const answer = await this.postRefund(sale);
      // A conflict means that an earlier attempt was successful, or that it is too late. The event tells.
      if (!isTemporary(answer)) this.set(id, { refund: 'answered' });
      else await pause(failures, answer);
    }
  }

  postRefund({ order_id }) {
    return send('POST', '/refunds', { data: { public_id: order_id } });
  }

  /** Goes on with what was left: by a crash, by too many failures, or for the worker. */
  async loop() {
    const due = this.db.prepare(`SELECT id FROM sales
      WHERE (status = 'pending' AND accepted_at <= ?) OR refund = 'asked'`);
    for (;;) {
      const ids = due.all(Date.now() - Number(WORKER_MS ?? 0)).map(({ id }) => id);
      for (const id of ids) await this.work(id);
      await sleep(HAS_WORKER ? 20 : 500);
    }
  }

  // Events

  /** Takes an event, from a webhook or from the history: in any order, any number of times. */
  receive({ id, type, created_at, data: { order } }) {
    if (order === undefined) return;
    const event = { id, type, order_id: order.public_id, status: order.status, created_at };
    this.transaction(() => {
      if (!this.remember(event)) return;
      const sale = this.saleOf(event);
      if (sale) this.act(sale, event);
    });
  }

  saleOf({ order_id }) {
    return this.db.prepare('SELECT * FROM sales WHERE order_id = ?').get(order_id);
  }

  /** Stores an event; returns whether it is new. */
  remember({ id, type, order_id, status, created_at }) {
    const insert = this.db.prepare('INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?)');
    return insert.run(id, type, order_id, status, created_at).changes > 0;
  }

  act({ id, fulfilled, refunded }, { type }) {
    if (type === 'order.recorded') this.set(id, { confirmed: 1 });
    if (type === 'order.transfer_completed') this.set(id, { fulfilled: fulfilled + 1 });
    if (type === 'order.refunded') this.set(id, { refunded: refunded + 1 });
  }

  /** The status of an order is that of its newest event, whenever it came. */
  statusOf(orderId) {
    const newest = this.db.prepare(`SELECT status FROM events WHERE order_id = ?
      ORDER BY created_at DESC, id DESC LIMIT 1`);
    return newest.get(orderId)?.status;
  }

  /** Reads the events since the last time. */
  async catchUp() {
    for (let more = true; more; ) {
      const { after_id } = this.db.prepare('SELECT after_id FROM progress').get() ?? {};
      const query = { limit: 100, ...(after_id && { after_id }) };
      const { status, body } = await call('GET', '/events', { query });
      if (status !== 200) throw new Error(`GET /events: ${status}`);
      for (const event of body.events) this.receive(event);
      const last = body.events.at(-1);
      if (last) {
        this.db.exec('DELETE FROM progress');
        this.db.prepare('INSERT INTO progress VALUES (?)').run(last.id);
      }
      more = body.next_cursor !== null;
    }
  }

  state() {
    const sales = this.db.prepare('SELECT * FROM sales').all();
    return sales.map(({ ref, domain, status, order_id, price_cents, ...sale }) => ({
      order: order_id,
      ref,
      domain,
      status: this.statusOf(order_id),
      price_cents,
      fulfilled: sale.fulfilled,
      refunded: sale.refunded,
      pending: status === 'pending' || (status === 'ordered' && sale.confirmed === 0),
    }));
  }

  reset() {
    this.db.exec('DELETE FROM sales; DELETE FROM events; DELETE FROM progress');
  }

  // HTTP

  /** Returns the status and the body of a response. */
  async respond(request) {
    const [, page, id] = request.url.split('/');
    const raw = await bodyOf(request);
    if (page === 'health') return [200, 'ok'];
    if (page === 'state') return [200, JSON.stringify(this.state())];
    if (page === 'reset') {
      this.reset();
      return [200, 'ok'];
    }
    if (page === 'webhooks') {
      if (!isGenuine(raw, request.headers['x-service-signature'])) return [401, 'forged'];
      this.receive(JSON.parse(raw));
      return [200, 'ok'];
    }
    if (page === 'buy') {
      const { domain, ref } = parse(raw) ?? {};
      if (!domain || !ref) return [400, 'domain and ref are missing'];
      this.add({ domain, ref });
      if (!HAS_WORKER) await this.work(ref);
      return this.show(ref);
    }
    if (page === 'refund') {
      this.set(id, { refund: 'asked' });
      if (!HAS_WORKER) await this.work(id);
      return this.show(id);
    }
    return this.show(id);
  }

  show(id) {
    const sale = this.find(id);
    if (sale === undefined) return [404, 'no such purchase'];
    const { domain, status, order_id, refund } = sale;
    return [STATUS_CODES[status], JSON.stringify({ domain, status, order_id, refund })];
  }

  /** An unexpected error ends the process: what restarts it goes on with what is in the database. */
  start() {
    const server = createServer(async (request, response) => {
      const [status, body] = await this.respond(request);
      response.writeHead(status).end(body);
    });
    server.listen(Number(PORT), '127.0.0.1');
    void this.loop();
  }
}

export async function main(shop, command) {
  if (command === 'state') process.stdout.write(`${JSON.stringify(shop.state())}\n`);
  else if (command === 'catch-up') await shop.catchUp();
  else if (command === 'reset') shop.reset();
  else shop.start();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(new Shop(), process.argv[2]);

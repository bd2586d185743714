// The shop with one mistake: MISTAKE=… node wrong-shop.mjs
import { call, send } from './client.mjs';
import { main, Shop } from './shop.mjs';

const MISTAKES = {
  /** Begins a retry with a new quote and a new Idempotency-Key. */
  'new-key': class extends Shop {
    retry(sale, failures, answer) {
      this.startOver(sale);
      return super.retry(sale, failures, answer);
    }
  },

  /** Does so only when two attempts have failed. */
  'new-key-after-two': class extends Shop {
    retry(sale, failures, answer) {
      if (failures >= 2) this.startOver(sale);
      return super.retry(sale, failures, answer);
    }
  },

  /** Begins a retry with a new Idempotency-Key, then refunds the orders that it did not need. This is correct. */
  'refunds-second': class extends Shop {
    retry(sale, failures, answer) {
      this.startOver(sale);
      return super.retry(sale, failures, answer);
    }

    async order(id) {
      await super.order(id);
      const { domain, ref, order_id: kept } = this.find(id) ?? {};
      if (!kept) return;
      const { body } = await call('GET', '/orders', { query: { domain } });
      for (const order of body.orders) {
        const { public_id, external_payment_ref, sale_price_cents: price_cents } = order;
        if (external_payment_ref !== ref || public_id === kept) continue;
        this.add({ domain, ref }, public_id);
        this.set(public_id, { price_cents, refund: 'asked' });
        this.accept({ id: public_id }, order);
        await this.refund(public_id);
      }
    }
  },

  /** Gives up if there is no response to an order. */
  'failed-after-lost': class extends Shop {
    async retry(sale, failures, answer) {
      if (answer.status === 0) this.fail(sale);
      else await super.retry(sale, failures, answer);
    }
  },

  /** Gives up if a gateway says that it has no response. */
  'failed-after-502': class extends Shop {
    async retry(sale, failures, answer) {
      if (answer.status === 502) this.fail(sale);
      else await super.retry(sale, failures, answer);
    }
  },

  /** Takes every response for JSON. */
  'html-crash': class extends Shop {
    postOrder({ quote_id, ref, idempotency_key: key }) {
      const data = { quote_id, external_payment_ref: ref };
      return send('POST', '/orders', { data, key, read: JSON.parse });
    }
  },

  /** Charges the price of the first quote, also if another one was ordered. */
  'old-amount': class extends Shop {
    saveQuote(sale, { quote_id, price_cents }) {
      super.saveQuote(sale, { quote_id, price_cents: sale.price_cents ?? price_cents });
    }
  },

  /** Pays the buyer back before each attempt to refund, instead of once it was refunded. */
  'refunded-twice': class extends Shop {
    postRefund(sale) {
      this.set(sale.id, { refunded: sale.refunded + 1 });
      return super.postRefund(sale);
    }

    act(sale, event) {
      if (event.type !== 'order.refunded') super.act(sale, event);
    }
  },

  /** Takes each webhook for a new event. */
  'no-event-ids': class extends Shop {
    remember(event) {
      super.remember(event);
      return true;
    }
  },

  /** Forgets in a crash which events it had. */
  'ids-in-memory': class extends Shop {
    #ids = new Set();

    remember(event) {
      const isNew = !this.#ids.has(event.id);
      this.#ids.add(event.id);
      super.remember(event);
      return isNew;
    }
  },

  /** Takes the event that came last for the newest. */
  'last-event': class extends Shop {
    statusOf(orderId) {
      const last = this.db.prepare(
        'SELECT status FROM events WHERE order_id = ? ORDER BY rowid DESC LIMIT 1',
      );
      return last.get(orderId)?.status;
    }
  },

  /** Ignores an event of an order that it does not know yet. */
  'ignores-early': class extends Shop {
    remember(event) {
      return this.saleOf(event) !== undefined && super.remember(event);
    }
  },

  /** Responds to a webhook before the event is stored. */
  'responds-first': class extends Shop {
    receive(event) {
      setTimeout(() => super.receive(event), 250);
    }
  },
};

const WrongShop = MISTAKES[process.env.MISTAKE];
if (WrongShop === undefined) throw new Error(`MISTAKE: one of ${Object.keys(MISTAKES)}`);
await main(new WrongShop(), process.argv[2]);

import type { Access } from './client.ts';
import type { Order } from './shop.ts';

/** The control API of sandlot. */
export class Sandbox {
  readonly #url: string;
  readonly #query: string;
  readonly #fetch: NonNullable<Access['fetch']>;

  constructor({ url, fetch: given = fetch }: Access, world?: string) {
    this.#url = `${url}/_sandbox`;
    this.#query = world === undefined ? '' : `?world=${world}`;
    this.#fetch = given;
  }

  async call(method: string, path: string, body?: object): Promise<void> {
    const response = await this.#fetch(this.#url + path + this.#query, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    await response.body?.cancel();
  }

  post(path: string, body: object = {}): Promise<void> {
    return this.call('POST', path, body);
  }

  /** Runs `action` while a fault is active. */
  async withFault<T>(fault: object, action: () => Promise<T>): Promise<T> {
    await this.post('/faults', fault);
    try {
      return await action();
    } finally {
      await this.call('DELETE', '/faults');
    }
  }

  /** Opens a hosted page, as a buyer does. */
  async open(url: string): Promise<number> {
    const response = await this.#fetch(url, { redirect: 'manual' });
    await response.body?.cancel();
    return response.status;
  }

  /** Waits until all due webhooks are delivered. */
  idle(): Promise<void> {
    return this.post('/idle', { timeout_ms: 20_000 });
  }

  async advance(order: Order, to: string): Promise<void> {
    await this.post(`/orders/${order.public_id}/advance`, { to });
    await this.idle();
  }
}

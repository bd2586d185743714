import type { Send } from '../webhooks/send.ts';

/** What a server has done since it started, in all its worlds, resets and deleted worlds included. */
export interface RunSummary {
  /** Partner API requests, including rejected ones. */
  requests: number;
  events: number;
  /** Webhook attempts, and those without a 200 response in time. */
  attempts: number;
  failed: { url: string; outcome: string; count: number }[];
}

/** Kept in memory: a summary is of one run, and worlds come and go in it. */
export class RunCounters {
  #requests = 0;
  #events = 0;
  #attempts = 0;
  readonly #failed = new Map<string, RunSummary['failed'][number]>();

  request(): void {
    this.#requests += 1;
  }

  event(): void {
    this.#events += 1;
  }

  /** The same way to send, counted. */
  over(send: Send): Send {
    return async (request) => {
      const result = await send(request);
      this.#attempts += 1;
      if (result.outcome !== 'ok') this.#fail(request.url, result.outcome);
      return result;
    };
  }

  summary(): RunSummary {
    return {
      requests: this.#requests,
      events: this.#events,
      attempts: this.#attempts,
      failed: [...this.#failed.values()],
    };
  }

  #fail(url: string, outcome: string): void {
    const key = `${url} ${outcome}`;
    const known = this.#failed.get(key) ?? { url, outcome, count: 0 };
    this.#failed.set(key, { ...known, count: known.count + 1 });
  }
}

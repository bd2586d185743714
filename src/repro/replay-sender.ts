import type { Sender, SendRequest, SendResult } from '../webhooks/send.ts';

const BLOCKED: SendResult = { outcome: 'blocked', httpStatus: null, durationMs: 0, response: null };

/** Sends no webhook. */
export const BLOCKING_SENDER: Sender = { send: () => Promise.resolve(BLOCKED), close: () => {} };

interface Sending {
  of: number;
  resolve(result: SendResult): void;
}

/** Holds each webhook until the result of the recording is known. */
export class ReplaySender implements Sender {
  readonly #onSend: (request: SendRequest) => number;
  #sending: Sending[] = [];
  #isOver = false;

  /** @param onSend returns the number of the input that sends */
  constructor(onSend: (request: SendRequest) => number) {
    this.#onSend = onSend;
  }

  get isIdle(): boolean {
    return this.#sending.length === 0;
  }

  readonly send = (request: SendRequest): Promise<SendResult> => {
    if (this.#isOver) return Promise.resolve(BLOCKED);
    const of = this.#onSend(request);
    return new Promise((resolve) => this.#sending.push({ of, resolve }));
  };

  /** Takes the first send of an input. @returns ends it; undefined if there is none */
  take(of: number | null): ((result: SendResult) => void) | undefined {
    const index = this.#sending.findIndex((sending) => sending.of === of);
    return index < 0 ? undefined : this.#sending.splice(index, 1)[0]?.resolve;
  }

  close(): void {
    this.#isOver = true;
    for (const { resolve } of this.#sending.splice(0)) resolve(BLOCKED);
  }
}

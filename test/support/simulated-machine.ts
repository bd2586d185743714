import { setImmediate } from 'node:timers/promises';
import type { TestRandom } from '../../scripts/torture/random.ts';
import { type Runtime, systemRuntime } from '../../src/kernel/runtime.ts';

/** Share of ticks in which the event loop stalls, and for how long, ms. */
const STALLS = 0.08;
const MAX_STALL_MS = 60;
/** Enough for the code after a timer to run before the next timer, as Node.js does. */
const MICROTASKS = 40;

interface Timer {
  at: number;
  task: () => void;
}

/** A machine whose clock, timers and stalls follow from a seed: what depends on timing happens again. */
export class SimulatedMachine {
  readonly #random: TestRandom;
  #now: number;
  #timers: Timer[] = [];
  #isOn = true;

  constructor(random: TestRandom, start: number) {
    this.#random = random;
    this.#now = start;
    void this.#run();
  }

  stop(): void {
    this.#isOn = false;
  }

  readonly runtime: Runtime = {
    now: () => this.#now,
    monotonic: systemRuntime.monotonic,
    after: (ms, task) => this.#after(ms, task),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const cancel = this.#after(ms, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          resolve();
        });
      }),
  };

  #after(ms: number, task: () => void): () => void {
    const timer = { at: this.#now + Math.max(ms, 1), task };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  async #run(): Promise<void> {
    while (this.#isOn) {
      await setImmediate();
      this.#now += this.#random.between(0, this.#random.chance(STALLS) ? MAX_STALL_MS : 2);
      const due = this.#timers.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
      for (const timer of due) {
        if (!this.#timers.includes(timer)) continue;
        this.#timers = this.#timers.filter((each) => each !== timer);
        timer.task();
        for (let n = 0; n < MICROTASKS; n += 1) await undefined;
      }
    }
  }
}

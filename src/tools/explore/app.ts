import type { CommandLineIo } from '../../cli/io.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Processes, Running } from './processes.ts';

const READY_MS = 15 * SECOND;
const POLL_MS = 15;

interface AppOptions extends Pick<CommandLineIo, 'fetch' | 'runtime'> {
  command: string;
  /** URL that responds with 2xx once the application is ready. */
  ready: string;
  processes: Processes;
}

/** The application under test, as a process that sandlot starts (`--app`), and kills where a fault says so. */
export class App {
  readonly #options: AppOptions;
  #running: Running | undefined;
  #isKilled = false;

  constructor(options: AppOptions) {
    this.#options = options;
  }

  /** Whether it has ended without `kill`. A crashed process stops responding before Node reports its exit. */
  async hasExited(): Promise<boolean> {
    const running = this.#running;
    if (!running || this.#isKilled) return false;
    if (running.code === undefined && (await this.status()) === 0) {
      await Promise.race([running.ended, this.#options.runtime.sleep(SECOND)]);
    }
    return running.code !== undefined && !this.#isKilled;
  }

  /** Returns the status with which the `ready` URL responds, even if another process serves it; 0 without a response. */
  async status(): Promise<number> {
    const { fetch, ready } = this.#options;
    const signal = AbortSignal.timeout(SECOND);
    const response = await fetch(ready, { redirect: 'manual', signal }).catch(() => undefined);
    await response?.body?.cancel().catch(() => {});
    return response?.status ?? 0;
  }

  /** Starts it unless it runs, and waits. @returns why it is not ready; undefined if it is, or was killed meanwhile */
  async start(): Promise<string | undefined> {
    const earlier = this.#running;
    if (earlier && earlier.code === undefined && !this.#isKilled) return undefined;
    // A killed process may not have ended yet, and still hold the port.
    await earlier?.ended;
    const { command, ready, processes, runtime } = this.#options;
    const running = processes.start('app', command);
    this.#running = running;
    this.#isKilled = false;
    const deadline = runtime.monotonic() + READY_MS;
    while (runtime.monotonic() < deadline) {
      if (this.#isKilled) return undefined;
      if (running.code !== undefined) return `it ended with exit code ${running.code}`;
      const status = await this.status();
      if (status >= 200 && status < 300) return undefined;
      await runtime.sleep(POLL_MS);
    }
    return `${ready} did not respond with 2xx within ${READY_MS / SECOND} s`;
  }

  /** Kills it and the processes that it started. Resolves when it has ended. */
  async kill(): Promise<void> {
    if (this.#running?.code !== undefined) return;
    this.#isKilled = true;
    await this.#running?.kill();
  }
}

import { onTestFinished } from 'vitest';
import { readServerEvents, type ServerEvent } from '../../src/cli/commands/requests/follow-log.ts';
import type { InProcessSandbox } from '../../src/index.ts';

/** What a client of `/_sandbox/stream` receives. */
export interface Listener {
  /** Resolves with the next event; undefined when the stream has ended. */
  next(): Promise<ServerEvent | undefined>;
  /** Resolves when all of these have changed, in one event or several. */
  receives(...nouns: string[]): Promise<void>;
  hangUp(): void;
}

/** Listens to what changes in a world; hangs up when the test ends. */
export async function listen(at: InProcessSandbox, world = 'default'): Promise<Listener> {
  const call = new AbortController();
  const init = { signal: call.signal } as never;
  const response = await at.fetch(`/_sandbox/stream?world=${world}`, init);
  if (!response.body) throw new Error('no stream');
  const events = readServerEvents(response.body)[Symbol.asyncIterator]();
  onTestFinished(() => call.abort());
  const listener: Listener = {
    next: async () => {
      const { value, done } = await events.next();
      return done ? undefined : value;
    },
    receives: async (...nouns) => {
      const missing = new Set(nouns);
      while (missing.size > 0) {
        const event = await listener.next();
        if (!event) throw new Error(`ended without ${[...missing]}`);
        const { changed = [] } = JSON.parse(event.data) as { changed?: string[] };
        for (const noun of changed) missing.delete(noun);
      }
    },
    hangUp: () => call.abort(),
  };
  return listener;
}

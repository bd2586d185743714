import { onTestFinished } from 'vitest';
import { readServerEvents } from '../../src/cli/commands/requests/follow-log.ts';
import type { InProcessSandbox } from '../../src/index.ts';

/** Listens to `/_sandbox/stream` until the test ends. Returns a function that resolves with the next event. */
export async function listen(at: InProcessSandbox, world = 'default') {
  const call = new AbortController();
  const init = { signal: call.signal } as never;
  const response = await at.fetch(`/_sandbox/stream?world=${world}`, init);
  if (!response.body) throw new Error('no stream');
  const events = readServerEvents(response.body)[Symbol.asyncIterator]();
  onTestFinished(() => call.abort());
  return async () => {
    const { value, done } = await events.next();
    return done ? undefined : value;
  };
}

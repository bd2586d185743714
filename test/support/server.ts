import { onTestFinished } from 'vitest';
import { startServer } from '../../src/server/start-server.ts';

/** Starts a server in this process, and closes it after the test. */
export async function serverFor(...args: Parameters<typeof startServer>) {
  const server = await startServer(...args);
  onTestFinished(() => server.close());
  return server;
}

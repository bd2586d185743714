import net from 'node:net';
import type { Fetch } from '../../../client/fetch.ts';
import { holderOf } from '../../../server/start-failure.ts';
import { broken, doubtful, type Finding, fine } from './finding.ts';

/**
 * Whether `start` would get its port.
 * @param running address of the sandbox that runs, if one does
 */
export async function checkPort(
  host: string,
  port: number,
  { running, fetch }: { running: string | undefined; fetch: Fetch },
): Promise<Finding> {
  if (port === 0) return fine('port', 'any free one');
  const problem = await tryPort(host, port);
  if (problem === undefined) return fine('port', `${host}:${port} is free`);
  if (running !== undefined && Number(new URL(running).port) === port) {
    return fine('port', `${host}:${port} is held by the sandbox that runs`);
  }
  if (problem !== 'EADDRINUSE') {
    const hint = 'choose an address and a port that this user may listen on: --host, --port';
    return broken('port', `${host}:${port} cannot be had (${problem})`, hint);
  }
  const detail = `${host}:${port} is in use by ${await holderOf(port, fetch)}`;
  const hint = 'choose another with --port, or --port 0 for a free one';
  return running === undefined ? broken('port', detail, hint) : doubtful('port', detail, hint);
}

/** Listens for a moment. @returns the error's code; undefined when it can be had */
function tryPort(host: string, port: number): Promise<string | undefined> {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

import { DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import { REQUEST_IDS } from '../../requests/log-entry.ts';
import { openSandbox } from '../../sandbox/sandbox.ts';
import type { SandboxTool } from '../../sandbox/tool.ts';
import { openMemoryStore } from '../../store/open.ts';
import { addToLog } from './add-to-log.ts';
import { differencesOf } from './differences.ts';
import type { Repro, RequestRecord } from './format.ts';
import { MAX_REQUESTS } from './limits.ts';
import { databaseOf, Replay, sandboxOptionsOf } from './replay.ts';

/**
 * Opens the state of a file, or replays it up to and including a request. The sandbox has a frozen clock and the requests
 * until then in its log, and sends no webhook.
 * @returns `diverged`: the number of the first request whose response differs from the file, if any
 * @throws NotReplayableError, ReproFileError
 */
export async function openRepro(repro: Repro, at?: number, tools: readonly SandboxTool[] = []) {
  const { head } = repro;
  const { database, requests, diverged } =
    at === undefined
      ? { database: databaseOf(head, repro.state), requests: repro.requests, diverged: null }
      : await replayedStateOf(repro, at);
  const servedState = servedStateOf(database, head.made_at);
  // The settings with which the next request was handled, or the last one if there is none.
  const { start } = repro.requests[requests.length] ?? requests.at(-1) ?? {};
  const options = sandboxOptionsOf(head, servedState, start);
  // The log holds all requests of a file, and as many that are made by hand.
  const sandbox = await openSandbox({ ...options, requestLog: 2 * MAX_REQUESTS, tools });
  const world = sandbox.worlds.require(head.world);
  // The last of these requests gets the highest number of the file, so that the ids of later requests follow all of its ids.
  const numbers = repro.requests.map(({ requestId }) => REQUEST_IDS.read('req', requestId) ?? 0);
  sandbox.requests.skipTo(Math.max(...numbers) - requests.length);
  addToLog(sandbox.requests, world, requests);
  const credentials = world.store.client
    .prepare('SELECT key_id, secret, environment FROM credentials ORDER BY key_id')
    .all() as { key_id: string; secret: string; environment: string }[];
  return { sandbox, diverged, credentials };
}

/** Replays until request `at` has its response; 0 is before the first request. Returns the state before the next one. */
async function replayedStateOf(repro: Repro, at: number) {
  const { head, base } = repro;
  const replay = await Replay.open(head, databaseOf(head, base), repro.requests[0]?.start);
  try {
    const requests: RequestRecord[] = [];
    let diverged: number | null = null;
    for await (const { record, replayed } of at === 0 ? [] : replay.run(repro.requests)) {
      requests.push(record);
      if (differencesOf(record, replayed).length > 0) diverged ??= record.n;
      if (record.n === at) break;
    }
    return { database: replay.finish(repro), requests, diverged };
  } finally {
    await replay.close();
  }
}

/**
 * Freezes the clock of a database, and gives the default credential the secret with which the command line signs; a file
 * has no secrets.
 * @param realTime at which a running clock is frozen, Unix ms
 */
function servedStateOf(database: Buffer, realTime: number): Buffer {
  const { client } = openMemoryStore(database);
  client
    .prepare('UPDATE world SET clock_frozen_at = coalesce(clock_frozen_at, clock_offset_ms + ?)')
    .run(realTime);
  const { secret, keyId } = DEFAULT_CREDENTIAL;
  client.prepare('UPDATE credentials SET secret = ? WHERE key_id = ?').run(secret, keyId);
  const bytes = client.serialize();
  client.close();
  return bytes;
}

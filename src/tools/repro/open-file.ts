import { DEFAULT_CREDENTIAL } from '../../market/defaults.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { SandboxTool } from '../../sandbox/tool.ts';
import { closeStore, openMemoryStore } from '../../store/open.ts';
import { addToLog } from './add-to-log.ts';
import { differencesOf } from './differences.ts';
import type { Repro } from './format.ts';
import { databaseOf, NotReplayableError, Replay, sandboxOptionsOf } from './replay.ts';

/** A sandbox in the state after a request of a file, with a frozen clock and the requests of the file in its log. */
interface OpenedRepro {
  sandbox: Sandbox;
  /** The number of the first request whose response differs from the file, if any. */
  diverged: number | null;
  credentials: { key_id: string; secret: string; environment: string }[];
}

/**
 * Opens the state of a file, or replays it up to and including a request. The sandbox sends no webhook.
 * @throws NotReplayableError, ReproFileError
 */
export async function openRepro(
  repro: Repro,
  at?: number,
  tools: readonly SandboxTool[] = [],
): Promise<OpenedRepro> {
  const { head, requests } = repro;
  if (at !== undefined && repro.base.length === 0) {
    throw new NotReplayableError(head.problem ?? 'the file has no base');
  }
  const loggedRequests = at === undefined ? requests : requests.filter(({ n }) => n <= at);
  const { database, diverged } =
    at === undefined
      ? { database: frozenStateOf(repro), diverged: null }
      : await replayedStateOf({ ...repro, requests: loggedRequests });
  const options = sandboxOptionsOf(head, withDefaultSecret(database));
  const sandbox = await openSandbox({ ...options, tools });
  const world = sandbox.worlds.require(head.world);
  addToLog(sandbox.requests, world, loggedRequests);
  const credentials = world.store.client
    .prepare('SELECT key_id, secret, environment FROM credentials ORDER BY key_id')
    .all() as OpenedRepro['credentials'];
  return { sandbox, diverged, credentials };
}

/** Returns the state after a replay of a file, and the number of the first request that differs. */
async function replayedStateOf({ head, base, requests, state }: Repro) {
  const replay = await Replay.open(head, databaseOf(head, base));
  try {
    let diverged: number | null = null;
    for await (const { record, replayed } of replay.run(requests)) {
      if (differencesOf(record, replayed).length > 0) diverged ??= record.n;
    }
    return { database: replay.finish(state), diverged };
  } finally {
    await replay.close();
  }
}

/** Returns the state of a file with its clock frozen. */
function frozenStateOf({ head, state }: Repro): Buffer {
  return changed(
    databaseOf(head, state),
    'UPDATE world SET clock_frozen_at = coalesce(clock_frozen_at, clock_offset_ms + ?)',
    head.made_at,
  );
}

/** Gives the default credential the secret with which the command line signs; a file has no secrets. */
function withDefaultSecret(database: Buffer): Buffer {
  const { secret, keyId } = DEFAULT_CREDENTIAL;
  return changed(database, 'UPDATE credentials SET secret = ? WHERE key_id = ?', secret, keyId);
}

function changed(database: Buffer, sql: string, ...values: (string | number)[]): Buffer {
  const store = openMemoryStore(database);
  store.client.prepare(sql).run(...values);
  const bytes = store.client.serialize();
  closeStore(store);
  return bytes;
}

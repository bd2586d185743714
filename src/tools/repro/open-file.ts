import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Repro } from './format.ts';
import { repro as tool } from './index.ts';
import type { Replay } from './replay.ts';
import { openFile } from './replay-file.ts';

const MAX_LOGGED_REQUESTS = 100_000;
/** An opened sandbox records nothing. */
const { follow: _follow, ...TOOL } = tool;

/** A sandbox in the state after an act of a file, with a frozen clock and the requests of the file in its log. */
export interface OpenedRepro {
  sandbox: Sandbox;
  /** The place of the first input that differs from the recording, if any. */
  diverged: string | null;
  credentials: { key_id: string; secret: string; environment: string }[];
  close(): Promise<void>;
}

/**
 * Replays a file up to and including an act, and leaves the sandbox open. It sends no webhook.
 * @throws NotReplayableError, ReproFileError
 */
export async function openRepro(repro: Repro, last: number): Promise<OpenedRepro> {
  const replay = await openFile(repro, { requestLog: MAX_LOGGED_REQUESTS, tools: [TOOL] });
  try {
    let diverged: string | null = null;
    for await (const { input, requests } of replay.perform(last)) {
      diverged ??= replay.divergenceOf([input, ...requests])?.input ?? null;
    }
    const credentials = credentialsOf(replay);
    await replay.runInRealTime();
    return { sandbox: replay.sandbox, diverged, credentials, close: () => replay.close() };
  } catch (error) {
    await replay.close();
    throw error;
  }
}

function credentialsOf({ client }: Replay): OpenedRepro['credentials'] {
  return client
    .prepare('SELECT key_id, secret, environment FROM credentials ORDER BY key_id')
    .all() as OpenedRepro['credentials'];
}

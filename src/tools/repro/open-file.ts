import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Repro } from './format.ts';
import { compared, openFile } from './replay-file.ts';

/** How many requests the log keeps. */
const KEPT = 100_000;

/** A sandbox in the state that a file leads to. */
export interface OpenedRepro {
  sandbox: Sandbox;
  /** Number of the last act that was performed; null if none was. */
  at: number | null;
  /** The place of the first input that is not as recorded, if any. */
  diverged: string | null;
  credentials: { key_id: string; secret: string; environment: string }[];
  close(): Promise<void>;
}

/**
 * Performs the acts of a file up to and including act `last`, and opens that world with a frozen clock. Its request log has
 * the requests of the file. It sends no webhook.
 * @throws NotReplayableError, ReproFileError
 */
export async function openRepro(repro: Repro, last: number): Promise<OpenedRepro> {
  const replay = await openFile(repro, { requestLog: KEPT });
  try {
    let at: number | null = null;
    let diverged: string | null = null;
    for await (const { input, divergence } of compared(replay, undefined, last)) {
      if (input.kind === 'act') at = input.n;
      diverged ??= divergence?.input ?? null;
    }
    await replay.goLive();
    const { sandbox } = replay;
    const credentials = replay.client
      .prepare('SELECT key_id, secret, environment FROM credentials ORDER BY key_id')
      .all() as OpenedRepro['credentials'];
    return { sandbox, at, diverged, credentials, close: () => replay.close() };
  } catch (error) {
    await replay.close();
    throw error;
  }
}

import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { openMemoryStore, serializeStore } from '../store/open.ts';
import { NO_HOOK } from '../world/inputs.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';
import type { Repro, ReproInput } from './format.ts';
import { differencesAt, noOutputs, outputsOf } from './outputs.ts';
import { openFile } from './replay-file.ts';
import { BLOCKING_SENDER } from './replay-sender.ts';

/** A sandbox in the state that a file leads to. */
export interface OpenedRepro {
  sandbox: Sandbox;
  /** Number of the last input that was replayed; null if none was. */
  at: number | null;
  /** The first input whose outputs are not those of the file, if any. */
  diverged: number | null;
  credentials: { key_id: string; secret: string; environment: string }[];
}

/**
 * Replays a file up to and including an input, and opens that world with a frozen clock. The steps that complete the
 * input are part of it, unless other requests come between. It sends no webhook.
 * @throws NotReplayableError, ReproFileError
 */
export async function openRepro(repro: Repro, last: number): Promise<OpenedRepro> {
  const { head, inputs } = repro;
  const count = countUpTo(inputs, last);
  const replay = await openFile(repro);
  let bytes: Buffer;
  let lastSeries: number;
  let diverged: number | null = null;
  try {
    const expected = outputsOf(inputs);
    const actual = noOutputs();
    for (let done = 0; done < count; done += 1) {
      const made = await replay.next(actual);
      const isSame = (n: number) => differencesAt(n, expected, actual).length === 0;
      if (made && (made.problem !== null || !made.outputs.every(isSame))) diverged ??= made.n;
    }
    const { world } = replay.driver;
    bytes = frozen(replay.client.serialize(), world.clock.now());
    lastSeries = replay.lastSeries;
  } finally {
    await replay.close();
  }
  const isHome = head.world === DEFAULT_WORLD;
  const sandbox = await openSandbox({
    sender: BLOCKING_SENDER,
    replay: { given: { name: head.world, from: bytes, lastSeries }, inputs: NO_HOOK },
    ...(!isHome && { inventory: 0 }),
    defaultCredential: isHome && head.settings.default_credential,
    recording: false,
    golive: false,
  });
  const credentials = sandbox.worlds
    .require(head.world)
    .store.client.prepare('SELECT key_id, secret, environment FROM credentials ORDER BY key_id')
    .all() as OpenedRepro['credentials'];
  return { sandbox, at: inputs[count - 1]?.n ?? null, diverged, credentials };
}

/** The number of inputs up to the end of an input: a request may go on in later steps. */
function countUpTo(inputs: readonly ReproInput[], last: number): number {
  const count = inputs.filter(({ n }) => n <= last).length;
  const own = inputs.findLastIndex((each) => each.kind === 'step' && each.of === last);
  const between = inputs.slice(count, own + 1);
  return between.some(({ kind }) => kind === 'request') ? count : Math.max(count, own + 1);
}

/** @param now sandbox time, Unix ms */
function frozen(bytes: Buffer, now: number): Buffer {
  const store = openMemoryStore(bytes);
  try {
    store.client.prepare('UPDATE world SET clock_frozen_at = ?').run(now);
    return serializeStore(store);
  } finally {
    store.client.close();
  }
}

import { expect } from 'vitest';
import type { Recording } from '../../../src/tools/repro/recording/recording-store.ts';
import { Replay } from '../../../src/tools/repro/replay.ts';
import type { RecordedSandbox } from './recorded-sandbox.ts';
import { wholeFile } from './whole-export.ts';

/** Replays a recording; expects the same responses, webhook bodies and, if it is known, final database. */
export async function expectSameReplay(
  at: RecordedSandbox,
  recording: Recording,
  { digest }: { digest?: string | undefined } = {},
): Promise<void> {
  const inputs = at.inputs(recording);
  const { repro } = wholeFile(at, { recording, inputs });
  const replay = await Replay.open(repro);
  try {
    for await (const _ of replay.reproduce());
    expect(replay.divergenceOf(inputs)).toBeUndefined();
    if (digest !== undefined) expect(replay.digest()).toBe(digest);
  } finally {
    await replay.close();
  }
}

import type { CommandContext } from '../../../cli/context.ts';
import { UsageError } from '../../../cli/errors.ts';
import { urlOf } from '../../../sandbox/sandbox.ts';
import type { Repro } from '../format.ts';
import { openRepro } from '../open-file.ts';
import { inputsOf, lastActOf } from '../places.ts';
import { explained } from './replay-repro.ts';

/** Serves the sandbox of a file until interrupted. */
export async function open(
  { io, out }: CommandContext,
  repro: Repro,
  file: string,
  at: number | undefined,
): Promise<void> {
  const last = lastActOf(repro.inputs);
  if (at !== undefined && at > last) throw new UsageError(`--at: the last act is ${last}`);
  const opened = await explained(file, () => openRepro(repro, at ?? last));
  const { sandbox, credentials } = opened;
  try {
    const url = urlOf(await sandbox.listen('127.0.0.1', 0));
    const stopped = io.interruption();
    const { world } = repro.head;
    const result = {
      url,
      dashboard_url: `${url}/_sandbox/?world=${world}`,
      world,
      at: opened.at,
      diverged: opened.diverged,
      inputs: inputsOf(repro.inputs).length,
      credentials,
    };
    out.result(result, (shown, { block }) => [
      `Replayed ${shown.at === null ? 'no act' : `up to act ${shown.at} of ${last}`}. The clock is frozen, and no webhook is sent.`,
      ...(shown.diverged === null
        ? []
        : [
            `From #${shown.diverged} on, it is not as recorded; "repro replay" shows the difference.`,
          ]),
      '',
      block([
        ['url', shown.url],
        ['dashboard', shown.dashboard_url],
        ['world', shown.world],
        ...shown.credentials.map(
          (each) => ['credential', `${each.key_id}  ${each.secret}`] as const,
        ),
      ]),
      '',
      'Press Ctrl-C to stop.',
    ]);
    if (!stopped.aborted) {
      await new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve()));
    }
  } finally {
    await opened.close();
  }
}

import type { CommandContext } from '../../../cli/context.ts';
import { UsageError } from '../../../cli/errors.ts';
import { urlOf } from '../../../sandbox/sandbox.ts';
import type { Repro } from '../format.ts';
import { OpenedRepro } from '../open-file.ts';
import { findAct, inputsOf, lastActOf, rangeOf } from '../places.ts';
import { explained } from './repro-file.ts';

/** Serves the sandbox of a file until interrupted. */
export async function open(
  { io, out }: CommandContext,
  repro: Repro,
  file: string,
  place: string | undefined,
): Promise<void> {
  const last = lastActOf(repro.inputs);
  const at = place === undefined ? last : findAct(repro.inputs, place);
  if (at === undefined) throw new UsageError(`--at: no act ${place}; ${rangeOf(repro.inputs)}`);
  const opened = await explained(file, () => OpenedRepro.open(repro, at));
  try {
    const url = urlOf(await opened.listen('127.0.0.1', 0));
    const stopped = io.interruption();
    const { world } = repro.head;
    const result = {
      url,
      dashboard_url: `${url}/_sandbox/?world=${world}`,
      world,
      at: opened.at,
      diverged: opened.diverged,
      inputs: inputsOf(repro.inputs).length,
      credentials: opened.credentials,
    };
    out.result(result, (shown, { block }) => [
      `Replayed ${shown.at === 0 ? 'no act' : `up to act ${shown.at} of ${last}`}. The clock is frozen, and no webhook is sent.`,
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
      `To step: sandlot repro step next --url ${shown.url}`,
      'Press Ctrl-C to stop.',
    ]);
    if (!stopped.aborted) {
      await new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve()));
    }
  } finally {
    await opened.close();
  }
}

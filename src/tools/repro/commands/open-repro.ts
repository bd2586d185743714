import type { CommandContext } from '../../../cli/context.ts';
import { UsageError } from '../../../cli/errors.ts';
import type { Repro } from '../format.ts';
import { describeActRange, findActNumber, lastActNumber, listedInputs } from '../places.ts';
import { withFileErrors } from './repro-file.ts';

/** Serves the sandbox of a file until interrupted. */
export async function open(
  { io, out }: CommandContext,
  repro: Repro,
  file: string,
  place: string | undefined,
): Promise<void> {
  const last = lastActNumber(repro.inputs);
  const at = place === undefined ? last : findActNumber(repro.inputs, place);
  if (at === undefined)
    throw new UsageError(`--at: no act ${place}; ${describeActRange(repro.inputs)}`);
  const { openRepro } = await import('../open-file.ts');
  const { urlOf } = await import('../../../sandbox/sandbox.ts');
  const openedRepro = await withFileErrors(file, () => openRepro(repro, at));
  try {
    const url = urlOf(await openedRepro.sandbox.listen('127.0.0.1', 0));
    const interruption = io.interruption();
    const { world } = repro.head;
    const result = {
      url,
      dashboard_url: `${url}/_sandbox/?world=${world}`,
      world,
      at,
      diverged: openedRepro.diverged,
      inputs: listedInputs(repro.inputs).length,
      credentials: openedRepro.credentials,
    };
    out.result(result, (document, { block }) => [
      `Replayed ${document.at === 0 ? 'no act' : `up to act ${document.at} of ${last}`}. The clock is frozen, and no webhook is sent.`,
      ...(document.diverged === null
        ? []
        : [
            `From #${document.diverged} on, it is not as recorded; "repro replay" shows the difference.`,
          ]),
      '',
      block([
        ['url', document.url],
        ['dashboard', document.dashboard_url],
        ['world', document.world],
        ...document.credentials.map(
          (credential) => ['credential', `${credential.key_id}  ${credential.secret}`] as const,
        ),
      ]),
      '',
      'Press Ctrl-C to stop.',
    ]);
    if (!interruption.aborted) {
      await new Promise<void>((resolve) => interruption.addEventListener('abort', () => resolve()));
    }
  } finally {
    await openedRepro.close();
  }
}

import type { CommandContext } from '../../../cli/context.ts';
import { UsageError } from '../../../cli/errors.ts';
import { ControlApiError } from '../../../client/control-client.ts';
import { countOf } from '../../../kernel/count.ts';
import { escapeUnprintable } from '../describe.ts';
import type { Repro } from '../format.ts';
import { describeActRange, findActNumber, lastActNumber, listedInputs } from '../places.ts';
import type { ObjectChange } from '../world-objects.ts';
import { withFileErrors } from './repro-file.ts';
import { formatChanges } from './show-repro.ts';

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
  const { OpenedRepro } = await import('../open-file.ts');
  const { urlOf } = await import('../../../sandbox/sandbox.ts');
  const openedRepro = await withFileErrors(file, () => OpenedRepro.open(repro, at));
  try {
    const url = urlOf(await openedRepro.listen('127.0.0.1', 0));
    const interruption = io.interruption();
    const { world } = repro.head;
    const result = {
      url,
      dashboard_url: `${url}/_sandbox/?world=${world}`,
      world,
      at: openedRepro.state.at,
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
      `To step: sandlot repro step next --url ${document.url}`,
      'Press Ctrl-C to stop.',
    ]);
    if (!interruption.aborted) {
      await new Promise<void>((resolve) => interruption.addEventListener('abort', () => resolve()));
    }
  } finally {
    await openedRepro.close();
  }
}

/** The body of `POST /_sandbox/repro/step`. */
interface State {
  at: number;
  last: number;
  input: { time: string; text: string; result: string } | null;
  difference: ObjectChange[];
  discarded: number;
}

const BY: Readonly<Record<string, 1 | -1>> = { next: 1, prev: -1 };

/** Steps in the sandbox of a file. @throws UsageError for an act that the file does not have */
export async function stepTo(
  { control, out }: CommandContext,
  to: string | undefined,
  order: string | undefined,
): Promise<void> {
  // With `next`, the option says which act is next.
  if (to !== undefined && to !== 'next' && order !== undefined) {
    throw new UsageError('to and --order: pass only one of them');
  }
  const by = BY[to ?? 'next'];
  const body = order === undefined ? (by ? { by } : { to }) : { order };
  const state = await control()
    .post<State>('/repro/step', body)
    .catch((error: unknown) => {
      const isUsage = error instanceof ControlApiError && error.code === 'validation_error';
      throw isUsage ? new UsageError(error.message) : error;
    });
  out.result(state, ({ at, last, input, difference, discarded }, formatter) => {
    const { colors, wrapAfter } = formatter;
    const head = `  #${at} of ${last}  `;
    const time = input?.time.slice(11, 23) ?? '';
    const inputText = input
      ? escapeUnprintable(`${input.text}  ${input.result}`.trim())
      : 'Before the first act.';
    return [
      `${head}${colors.dim(time)}  ${wrapAfter(head.length + time.length + 2, inputText)}`,
      ...(at === 0 ? [] : formatChanges(difference, formatter)),
      ...(discarded === 0 ? [] : [`Discarded ${countOf(discarded, 'act')} by hand.`]),
    ];
  });
}

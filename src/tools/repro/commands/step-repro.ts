import type { CommandContext } from '../../../cli/context.ts';
import { UsageError } from '../../../cli/errors.ts';
import { ControlApiError } from '../../../client/control-client.ts';
import { countOf } from '../../../kernel/count.ts';
import { visible } from '../describe.ts';
import type { ObjectChange } from '../world-objects.ts';
import { formatChanges } from './show-repro.ts';

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
  if (to !== undefined && order !== undefined) {
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
    const what = input ? visible(`${input.text}  ${input.result}`.trim()) : 'Before the first act.';
    return [
      `${head}${colors.dim(time)}  ${wrapAfter(head.length + time.length + 2, what)}`,
      ...(at === 0 ? [] : formatChanges(difference, formatter)),
      ...(discarded === 0 ? [] : [`Discarded ${countOf(discarded, 'act')} by hand.`]),
    ];
  });
}

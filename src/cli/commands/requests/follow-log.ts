import { UnreachableError } from '../../../client/control-client.ts';
import { readServerEvents } from '../../../client/server-events.ts';
import { describeOutcome } from '../../../requests/describe.ts';
import type { LoggedRequest } from '../../../requests/logged-request.ts';
import type { CommandContext } from '../../command.ts';
import type { ValuesOf } from '../../declare.ts';
import { oneLine } from '../../layout.ts';
import type { Paper } from '../../output.ts';
import { shortTime } from '../../times.ts';
import { filterQuery, type REQUEST_FILTERS } from './filters.ts';
import { paintOutcome } from './request-line.ts';

interface WaitInput extends ValuesOf<typeof REQUEST_FILTERS> {
  last: number;
  follow: boolean;
  count: number;
}

/** Prints the last requests and, if requested, those that come, until interrupted. */
export async function followLog(
  { control, out, io, address }: CommandContext,
  { last, follow, count, ...filters }: WaitInput,
): Promise<void> {
  const query = filterQuery(filters);
  const interruption = io.interruption();
  // Listening begins before looking back, so that nothing falls in between.
  const stream = follow
    ? await control(interruption).download('/requests/stream', query)
    : undefined;
  const shown = new Set<string>();
  const show = (request: LoggedRequest) => {
    shown.add(request.request_id);
    out.item(request, lineOf);
  };
  if (last > 0) {
    const before = await control().get<{ requests: LoggedRequest[] }>('/requests', {
      ...query,
      limit: last,
    });
    for (const request of before.requests.toReversed()) show(request);
  }
  if (shown.size === 0) out.note(follow ? 'no requests yet; waiting for them' : 'no requests');
  if (!stream) return;
  let came = 0;
  try {
    for await (const { data } of readServerEvents(stream)) {
      const request = JSON.parse(data) as LoggedRequest;
      if (shown.has(request.request_id)) continue;
      show(request);
      came += 1;
      if (came === count) return;
    }
  } catch (error) {
    if (interruption.aborted) return;
    throw new UnreachableError(address().url, { cause: error });
  }
  if (!interruption.aborted) throw new UnreachableError(address().url);
}

function lineOf(request: LoggedRequest, paper: Paper): string {
  const { at, duration_ms, method, target, message } = request;
  const outcome = paintOutcome(paper)(describeOutcome(request), request);
  const why = message === null ? '' : paper.paint.faint(`  ${oneLine(message)}`);
  return `${paper.paint.faint(shortTime(at))}  ${outcome}  ${method} ${oneLine(target)}  ${duration_ms.toFixed(1)} ms${why}`;
}

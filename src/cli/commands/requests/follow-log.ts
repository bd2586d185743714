import type { QueryValues } from '../../../client/control-client.ts';
import { UnreachableError } from '../../../client/unreachable.ts';
import { describeOutcome, shortTarget, toneOfResponse } from '../../../requests/describe-entry.ts';
import type { LoggedRequest } from '../../../requests/logged-request.ts';
import type { CommandContext } from '../../context.ts';
import { oneLine, shortTime, toneColor } from '../../layout.ts';
import type { Formatter } from '../../output.ts';

/**
 * Prints at most `limit` earlier requests and, with `follow`, each new one until interrupted.
 * @param query filters of `GET /requests/stream`, which `GET /requests` has too
 */
export async function followLog(
  { control, out, io }: CommandContext,
  { limit, follow }: { limit: number; follow: boolean },
  query: QueryValues,
): Promise<void> {
  // Without --follow, Ctrl-C ends the process.
  const interruption = follow ? io.interruption() : undefined;
  const client = control(interruption);
  try {
    // The stream starts before the list is read, so that no request is missed.
    const stream = follow ? await client.download('/requests/stream', query) : undefined;
    const earlierIds = new Set<string>();
    if (limit > 0) {
      const listQuery = { ...query, limit };
      const page = await client.get<{ requests: LoggedRequest[] }>('/requests', listQuery);
      for (const request of page.requests.toReversed()) {
        earlierIds.add(request.request_id);
        out.item(request, lineOf);
      }
      if (earlierIds.size === 0) out.note(follow ? 'no requests yet; waiting' : 'no requests');
    }
    if (!stream) return;
    for await (const { data } of readServerEvents(stream)) {
      const request = JSON.parse(data) as LoggedRequest;
      if (!earlierIds.has(request.request_id)) out.item(request, lineOf);
    }
    // The stream has ended: this rejects if the world was deleted. Otherwise the sandbox has stopped.
    await client.get('/requests', { limit: 1 });
    throw new UnreachableError(client.url);
  } catch (error) {
    if (!interruption?.aborted) throw error;
  }
}

function lineOf(request: LoggedRequest, { colors }: Formatter): string {
  const { at, duration_ms, method, message, domain, order, warnings } = request;
  const outcome = toneColor(toneOfResponse(request), colors)(describeOutcome(request));
  const subjectId = domain ?? order;
  const subject = subjectId === null ? '' : `  ${oneLine(subjectId)}`;
  const reason = message === null ? '' : colors.dim(`  ${oneLine(message)}`);
  const warningText = warnings.map((warning) => colors.warning(`  ! ${oneLine(warning)}`)).join('');
  return `${colors.dim(shortTime(at))}  ${outcome}  ${method} ${oneLine(shortTarget(request))}${subject}  ${duration_ms.toFixed(1)} ms${reason}${warningText}`;
}

/** Reads the server-sent events of a sandbox, without comments. @throws what the stream throws */
export async function* readServerEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ event: string; data: string }> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const chunk of stream) {
    const blocks = (buffer + decoder.decode(chunk, { stream: true })).split('\n\n');
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data };
    }
  }
}

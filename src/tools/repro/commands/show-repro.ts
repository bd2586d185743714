import type { SQL } from 'drizzle-orm';
import type { CommandContext } from '../../../cli/context.ts';
import { usageFrom } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { derivedDisplay } from '../../../kernel/columns.ts';
import { CodedError } from '../../../kernel/errors.ts';
import { describeOutcome, shortTarget, toneOfResponse } from '../../../requests/describe-entry.ts';
import type { RequestDetail } from '../../../requests/logged-request.ts';
import { DEFAULT_WORLD } from '../../../world/files.ts';
import { describeRepro, escapeAndShorten, escapeUnprintable } from '../describe-repro.ts';
import type { RequestRecord } from '../format.ts';
import { mapTexts } from '../map-texts.ts';
import type { Difference, ReproSummary } from '../result.ts';
import { readReproFile, requireRequest } from './repro-file.ts';

export function formatSummary(
  { target, inputs, sandlot, personal_data, problem }: ReproSummary,
  { block }: Formatter,
): string {
  return block([
    ['target', target],
    ['requests', `${inputs}, recorded with sandlot ${sandlot}`],
    ['personal data', personal_data],
    ...(problem === null ? [] : [['replays', `no: ${problem}`] as const]),
  ]);
}

/** Prints what a file contains, the requests that match a filter, or one in full. @throws UsageError */
export async function show(
  { io, out }: CommandContext,
  file: string,
  { input, where }: { input: string | undefined; where: string | undefined },
): Promise<void> {
  const repro = await readReproFile(io, file);
  if (input !== undefined) {
    const { formatRequest } = await import('../../../cli/commands/requests/format-request.ts');
    const [request] = await shownRequests([requireRequest(repro, '--input', input)]);
    if (request) out.result(request, formatRequest);
    return;
  }
  const { head } = repro;
  const summary = describeRepro(repro);
  const lastTime = repro.requests.at(-1)?.at ?? 0;
  const filter = where === undefined ? undefined : await filterOf(where, lastTime);
  const requests = await shownRequests(repro.requests, filter);
  out.result({ ...summary, head, requests }, (_document, formatter) => [
    ...(where === undefined ? [formatSummary(summary, formatter), ''] : []),
    requests.length === 0
      ? 'No request matches.'
      : formatRequests(requests, formatter, head.target),
  ]);
}

/** Reads a filter of requests. @param now sandbox time, Unix ms, for ages such as `10m` @throws UsageError */
async function filterOf(where: string, now: number): Promise<SQL | undefined> {
  const { and } = await import('drizzle-orm');
  const { readWhere } = await import('../../../control/where.ts');
  try {
    return and(...readWhere(where, { field: '--where', now }).conditions);
  } catch (error) {
    throw usageFrom(error, CodedError);
  }
}

/** A request of a file, as a request log shows it. */
type ShownRequest = RequestDetail & { n: number };

/** Returns the requests that match a filter, read from a request log, as `requests list` shows them. */
export async function shownRequests(
  requests: readonly RequestRecord[],
  filter?: SQL,
): Promise<ShownRequest[]> {
  const { openSandbox } = await import('../../../sandbox/sandbox.ts');
  const { withSubjects } = await import('../../../control/request-subjects.ts');
  const { requestDetail } = await import('../../../requests/logged-request.ts');
  const { addToLog } = await import('../add-to-log.ts');
  const sandbox = await openSandbox({ inventory: 0, requestLog: requests.length });
  try {
    const world = sandbox.worlds.require(DEFAULT_WORLD);
    addToLog(sandbox.requests, world, requests.map(escaped));
    const entries = sandbox.requests.list(world, { where: filter, limit: -1 }).reverse();
    return entries.map((entry) => ({
      // In a new log, `seq` counts from 1. Its world has no partners.
      n: requests[entry.seq - 1]?.n ?? 0,
      ...requestDetail.view({ ...withSubjects(entry), partner: null }),
    }));
  } finally {
    await sandbox.close();
  }
}

/** Escapes invisible characters. Only bodies keep their lines. */
function escaped(request: RequestRecord): RequestRecord {
  return mapTexts(request, (text, field) =>
    (field === 'body' ? text.split('\n') : [text]).map(escapeUnprintable).join('\n'),
  );
}

/** Formats a table of requests, with the dates if there are several. @param marked number of the request that gets a mark */
export function formatRequests(
  requests: readonly ShownRequest[],
  { table }: Formatter,
  marked?: number,
): string {
  const days = new Set(requests.map(({ at }) => at.slice(0, 10)));
  const timeStart = days.size > 1 ? 0 : 11;
  const { columns } = derivedDisplay<ShownRequest>({
    n: [
      '#',
      ({ n }) => (n === marked ? `#${n} ✗` : `#${n}`),
      'id',
      ({ n }) => (n === marked ? 'error' : 'neutral'),
    ],
    time: ['Sandbox time', ({ at }) => at.slice(timeStart, 23).replace('T', ' ')],
    response: ['Response', describeOutcome, 'status', toneOfResponse],
    what: ['Call', (item) => `${item.method} ${shortTarget(item)}`],
    about: ['About', ({ domain, order }) => domain ?? order],
    // The fix follows the semicolon.
    reason: ['Reason', ({ message }) => message?.split(';')[0]],
  });
  return table(columns(), requests);
}

export function formatDifferences(
  differences: readonly Difference[],
  { table }: Formatter,
): string {
  const { columns } = derivedDisplay<Difference>({
    path: ['Differs', ({ path }) => escapeAndShorten(path)],
    recorded: ['Recorded', ({ recorded }) => jsonText(recorded)],
    replayed: ['Replayed', ({ replayed }) => jsonText(replayed)],
  });
  return table(columns(), differences);
}

function jsonText(value: unknown): string {
  return value === undefined ? '(absent)' : escapeAndShorten(JSON.stringify(value), 80);
}

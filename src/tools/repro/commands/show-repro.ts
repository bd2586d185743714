import type { SQL } from 'drizzle-orm';
import type { CommandContext } from '../../../cli/context.ts';
import { UsageError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { display } from '../../../kernel/columns.ts';
import { CodedError } from '../../../kernel/errors.ts';
import { isoTime } from '../../../kernel/time.ts';
import type { RequestLogEntry } from '../../../requests/log-entry.ts';
import { DEFAULT_WORLD } from '../../../world/files.ts';
import {
  describeRepro,
  describeRequests,
  escapeUnprintable,
  type RequestLine,
  shorten,
} from '../describe.ts';
import type { Repro, RequestRecord } from '../format.ts';
import { mapTexts } from '../map-texts.ts';
import type { Difference, ReproSummary } from '../result.ts';
import { requireRequest } from './repro-file.ts';

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

/** Prints what a file contains, or the requests that match a filter. @throws UsageError */
export async function showFile(
  { io, out }: CommandContext,
  repro: Repro,
  where: string | undefined,
): Promise<void> {
  const { head } = repro;
  const summary = describeRepro(repro);
  const requests =
    where === undefined ? repro.requests : await matching(repro, where, io.runtime.now());
  const lines = describeRequests(requests);
  out.result({ ...summary, head, requests }, (_document, formatter) => [
    ...(where === undefined ? [formatSummary(summary, formatter), ''] : []),
    lines.length === 0 ? 'No request matches.' : formatRequests(lines, formatter, head.target),
  ]);
}

/** Filters requests as a request log does. @throws UsageError */
async function matching({ requests }: Repro, where: string, now: number): Promise<RequestRecord[]> {
  const { and } = await import('drizzle-orm');
  const { readWhere } = await import('../../../control/where.ts');
  let filter: SQL | undefined;
  try {
    filter = and(...readWhere(where, { field: '--where', now }).conditions);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new UsageError(error.message);
  }
  const ids = new Set((await logged(requests, filter)).map(({ requestId }) => requestId));
  return requests.filter(({ request_id }) => ids.has(request_id));
}

/** Returns the entries that a request log would have of requests. */
async function logged(requests: readonly RequestRecord[], where?: SQL): Promise<RequestLogEntry[]> {
  const { openSandbox } = await import('../../../sandbox/sandbox.ts');
  const { rawEntryOf } = await import('../logged-entry.ts');
  const sandbox = await openSandbox({ inventory: 0, requestLog: requests.length });
  try {
    const log = sandbox.requests;
    const world = sandbox.worlds.require(DEFAULT_WORLD);
    for (const request of requests) log.append(world, rawEntryOf(request));
    return log.list(world, { where, limit: -1 });
  } finally {
    await sandbox.close();
  }
}

/** Prints a request in full, as `requests show` does. @throws UsageError */
export async function showRequest(
  { out }: CommandContext,
  repro: Repro,
  number: string,
): Promise<void> {
  const request = requireRequest(repro, '--input', number);
  const { formatRequest } = await import('../../../cli/commands/requests/format-request.ts');
  const { requestDetail } = await import('../../../requests/logged-request.ts');
  const unknown = { domain: null, order: null, fault: null, partner: null };
  const escaped = mapTexts(request, (text, field) =>
    // Bodies have lines.
    (field === 'text' ? text.split('\n') : [text]).map(escapeUnprintable).join('\n'),
  );
  const details = (await logged([escaped])).map((entry) =>
    requestDetail.view({ ...entry, ...unknown }),
  );
  out.result(request, (_request, formatter) =>
    details.flatMap((detail) => formatRequest(detail, formatter)),
  );
}

/** Formats a table of requests. @param marked number of the request that gets a mark */
export function formatRequests(
  lines: readonly RequestLine[],
  { table }: Formatter,
  marked?: number,
): string {
  const { columns } = display<RequestLine>({
    n: [
      '#',
      ({ n }) => (n === marked ? `#${n} ✗` : `#${n}`),
      'id',
      ({ n }) => (n === marked ? 'error' : 'neutral'),
    ],
    time: ['Time', ({ time }) => isoTime(time).slice(11, 23)],
    request: ['Request', ({ text }) => text],
    response: ['Response', ({ result }) => result],
  });
  return table(columns(), lines);
}

/** Formats a table of differences. */
export function formatDifferences(
  differences: readonly Difference[],
  { table }: Formatter,
): string {
  const { columns } = display<Difference>({
    path: ['Differs', ({ path }) => shorten(path)],
    recorded: ['Recorded', ({ recorded }) => jsonText(recorded)],
    replayed: ['Replayed', ({ replayed }) => jsonText(replayed)],
  });
  return table(columns(), differences);
}

/** Formats a value as JSON, on a line. */
function jsonText(value: unknown): string {
  return value === undefined ? '(absent)' : shorten(JSON.stringify(value), 80);
}

import type { CommandContext } from '../../../cli/context.ts';
import { UsageError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { CodedError } from '../../../kernel/errors.ts';
import { isoTime } from '../../../kernel/time.ts';
import type { RequestFilter } from '../../../requests/list-requests.ts';
import { DEFAULT_WORLD } from '../../../world/files.ts';
import {
  describeRepro,
  describeRequests,
  escapeUnprintable,
  jsonText,
  type RequestLine,
  shorten,
  summaryOf,
} from '../describe.ts';
import { failedCheckOf, type RecordedBody, type Repro, type RequestRecord } from '../format.ts';
import type { Difference, ReproSummary } from '../result.ts';
import { isRejected } from '../select.ts';
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
  file: string,
  where: string | undefined,
): Promise<void> {
  const { head } = repro;
  const summary = describeRepro(repro);
  const requests =
    where === undefined ? repro.requests : await matching(repro, where, io.runtime.now());
  const lines = describeRequests(requests);
  const rejected = requests.find(isRejected);
  out.result({ ...summary, head, requests }, (_document, formatter) => [
    ...(where === undefined ? [formatSummary(summary, formatter), ''] : []),
    ...formatLines(lines, formatter, rejected?.n),
    ...(lines.length === 0 ? ['No request matches.'] : []),
    ...(rejected
      ? [
          formatter.wrapAfter(
            0,
            `First rejected: #${rejected.n} ${summaryOf(rejected)}. To see it:`,
          ),
          `  sandlot repro show ${file} --input ${rejected.n}`,
        ]
      : []),
  ]);
}

/** Filters requests as a request log does. @throws UsageError */
async function matching({ requests }: Repro, where: string, now: number): Promise<RequestRecord[]> {
  const { readWhere } = await import('../../../control/where.ts');
  const { openSandbox } = await import('../../../sandbox/sandbox.ts');
  const { rawEntryOf } = await import('../logged-entry.ts');
  let filter: RequestFilter;
  try {
    const { allOf } = readWhere(where, { field: '--where', now });
    filter = { allOf };
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new UsageError(error.message);
  }
  const sandbox = await openSandbox({ inventory: 0, requestLog: requests.length });
  try {
    const log = sandbox.requests;
    const world = sandbox.worlds.require(DEFAULT_WORLD);
    for (const request of requests) log.append(world, rawEntryOf(request));
    const ids = new Set(log.list(world, filter, { limit: -1 }).map(({ requestId }) => requestId));
    return requests.filter(({ request_id }) => ids.has(request_id));
  } finally {
    await sandbox.close();
  }
}

/** Prints a request in full. @throws UsageError */
export function showRequest({ out }: CommandContext, repro: Repro, number: string): void {
  const request = requireRequest(repro, '--input', number);
  out.result(request, (_request, formatter) => formatRequest(request, formatter));
}

/** Formats requests with aligned results. @param marked number of the request that gets a mark */
export function formatLines(
  lines: readonly RequestLine[],
  { colors, wrapAfter }: Formatter,
  marked?: number,
): string[] {
  const digits = String(lines.at(-1)?.n ?? '').length;
  const width = lines.reduce((max, { text }) => Math.max(max, text.length), 0);
  return lines.map((line) => {
    const mark = line.n === marked ? colors.error('✗') : ' ';
    const place = `#${line.n}`.padStart(digits + 1);
    const time = isoTime(line.time).slice(11, 23);
    const indent = place.length + time.length + 6;
    const aligned = `${line.text.padEnd(width)}  ${line.result}`.trimEnd();
    const fits = wrapAfter(indent, aligned) === aligned;
    const lineText = fits ? aligned : wrapAfter(indent, `${line.text}  ${line.result}`.trimEnd());
    return `${mark} ${place}  ${colors.dim(time)}  ${lineText}`;
  });
}

/** Formats a request in full. */
export function formatRequest(request: RequestRecord, { block, colors }: Formatter): string[] {
  const { n, at, api, method, target, headers, body, response, trace } = request;
  return [
    colors.bold(`#${n}  ${isoTime(at).slice(11, 23)}  ${summaryOf(request)}`),
    block([
      ['request', `${escapeUnprintable(method)} ${escapeUnprintable(target)}`],
      ['request id', escapeUnprintable(request.request_id)],
      ['api', api],
      ['signature', describeCheck(request.signature_result)],
      ['body read', describeCheck(request.body_result ?? 'passed')],
      ['failed check', escapeUnprintable(failedCheckOf(request) ?? 'none')],
    ]),
    '',
    ...headerLines(headers),
    ...bodyLines(body),
    ...('closed' in response
      ? []
      : [
          '',
          colors.dim('response'),
          ...headerLines(response.headers),
          ...bodyLines({ text: response.body.text }),
        ]),
    '',
    colors.dim('decision trace'),
    ...trace.map((step) =>
      typeof step === 'string'
        ? `${escapeUnprintable(step)}: passed`
        : escapeUnprintable(
            `${step.check}: ${step.result} ${step.detail ? JSON.stringify(step.detail) : ''}`.trimEnd(),
          ),
    ),
  ];
}

/** Formats a table of differences. */
export function formatDifferences(
  differences: readonly Difference[],
  { colors }: Formatter,
): string[] {
  const rows = differences.map(({ path, recorded, replayed, note }) =>
    note === undefined
      ? [shorten(path), jsonText(recorded), jsonText(replayed)]
      : [shorten(path), shorten(note, 200), ''],
  );
  const allRows = [['', 'recorded', 'replayed'], ...rows];
  const widths = [0, 1].map((at) => Math.max(...allRows.map((row) => row[at]?.length ?? 0)));
  return allRows.map(([path = '', recorded = '', replayed = ''], n) => {
    const line = `  ${path.padEnd(widths[0] ?? 0)}  ${recorded.padEnd(widths[1] ?? 0)}  ${replayed}`;
    return n === 0 ? colors.dim(line.trimEnd()) : line.trimEnd();
  });
}

function describeCheck(result: RequestRecord['signature_result']): string {
  if (result === null) return 'not checked';
  return result === 'passed' ? 'passed' : escapeUnprintable(`${result.code}: ${result.message}`);
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${escapeUnprintable(name)}: ${escapeUnprintable(value)}`);
}

function bodyLines(body: RecordedBody | null): string[] {
  if (body === null) return [];
  if ('base64' in body) return ['', `(base64) ${body.base64}`];
  return ['', ...body.text.split('\n').map(escapeUnprintable)];
}

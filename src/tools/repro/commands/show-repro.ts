import type { CommandContext } from '../../../cli/context.ts';
import { UsageError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { countOf } from '../../../kernel/count.ts';
import { greatest } from '../../../kernel/greatest.ts';
import { isoTime } from '../../../kernel/time.ts';
import {
  describeInputs,
  describeRepro,
  escapeUnprintable,
  type InputLine,
  jsonText,
  shorten,
  summaryOf,
} from '../describe.ts';
import type { InputRecord, RecordedBody, Repro, RequestRecord } from '../format.ts';
import { listedInputs, placesOf } from '../places.ts';
import type { Difference, ReproSummary } from '../result.ts';
import { type InputFilter, isRejected, matchesFilter, requestsOf, STATUS_FORM } from '../select.ts';
import { requireInput } from './repro-file.ts';

export function formatSummary(summary: ReproSummary, { block }: Formatter): string {
  const { target, contains, base, replaced, secrets, problem } = summary;
  return block([
    ['target', escapeUnprintable(target)],
    ['contains', escapeUnprintable(contains)],
    ['base', escapeUnprintable(base)],
    ['replaced', escapeUnprintable(replaced)],
    ['secrets', escapeUnprintable(secrets)],
    ...(problem === null ? [] : [['verified', `no: ${escapeUnprintable(problem)}`] as const]),
  ]);
}

/** Prints what a file contains, or the inputs that match a filter. @throws UsageError */
export function showFile(
  { out }: CommandContext,
  repro: Repro,
  file: string,
  filter: InputFilter,
): void {
  if (filter.status !== undefined && !STATUS_FORM.test(filter.status)) {
    throw new UsageError('--status: must be a status such as 409, 4xx or closed');
  }
  const { head } = repro;
  const summary = describeRepro(repro);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const inputs = isFiltered
    ? listedInputs(repro.inputs).filter((input) => matchesFilter(input, filter))
    : repro.inputs;
  const lines = describeInputs(listedInputs(inputs), repro.inputs);
  const rejected = requestsOf(inputs).find(isRejected);
  const place = rejected && placesOf(repro.inputs).get(rejected);
  out.result({ ...summary, head, inputs }, (_document, formatter) => [
    ...(isFiltered ? [] : [formatSummary(summary, formatter), '']),
    ...formatLines(lines, formatter, place),
    ...(lines.length === 0 ? ['No input matches.'] : []),
    ...(rejected
      ? [
          formatter.wrapAfter(0, `First rejected: #${place} ${summaryOf(rejected)}. To see it:`),
          `  sandlot repro show ${file} --input ${place}`,
        ]
      : []),
  ]);
}

/** Prints an input in full. @throws UsageError */
export function showInput({ out }: CommandContext, repro: Repro, placeText: string): void {
  const { place, input } = requireInput(repro, '--input', placeText);
  out.result(input, (_input, formatter) => formatInput(input, place, formatter));
}

/** Formats inputs with aligned results. @param marked place of the input that gets a mark */
export function formatLines(
  lines: readonly InputLine[],
  { colors, wrapAfter }: Formatter,
  marked?: string,
): string[] {
  const digits = greatest(lines.map(({ place }) => place.length));
  const textOf = ({ requestId, text }: InputLine) => (requestId === null ? `  ${text}` : text);
  const width = greatest(lines.map((line) => textOf(line).length));
  return lines.map((line) => {
    const mark = line.place === marked ? colors.error('✗') : ' ';
    const place = `#${line.place}`.padStart(digits + 1);
    const time = isoTime(line.time).slice(11, 23);
    const indent = place.length + time.length + 6;
    const aligned = `${textOf(line).padEnd(width)}  ${line.result}`.trimEnd();
    const fits = wrapAfter(indent, aligned) === aligned;
    const lineText = fits
      ? aligned
      : wrapAfter(indent, `${textOf(line)}  ${line.result}`.trimEnd());
    return `${mark} ${place}  ${colors.dim(time)}  ${lineText}`;
  });
}

/** Formats a request or an act in full. */
export function formatInput(
  input: InputRecord,
  place: string,
  { block, colors }: Formatter,
): string[] {
  const head = colors.bold(`#${place}  ${isoTime(input.at).slice(11, 23)}  ${summaryOf(input)}`);
  if (input.kind === 'act') {
    const { params, given: sends } = input;
    return [
      head,
      ...(params?.body === undefined
        ? []
        : ['', colors.dim('body sent'), escapeUnprintable(params.body)]),
      ...(sends ? ['', colors.dim('result'), escapeUnprintable(JSON.stringify(sends))] : []),
    ];
  }
  const { api, method, target, headers, body, response } = input;
  return [
    head,
    block([
      ['request', `${escapeUnprintable(method)} ${escapeUnprintable(target)}`],
      ['request id', escapeUnprintable(input.request_id)],
      ['api', api],
      ['signature', describeCheck(input.signature_result)],
      ['body read', describeCheck(input.body_result ?? 'passed')],
      ['failed check', escapeUnprintable(input.failed_check ?? 'none')],
    ]),
    '',
    ...headerLines(headers),
    ...bodyLines(body),
    ...(response && !('closed' in response)
      ? ['', colors.dim('response'), ...headerLines(response.headers), ...bodyLines(response.body)]
      : []),
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
  const widths = [0, 1].map((at) => greatest(allRows.map((row) => row[at]?.length ?? 0)));
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

function bodyLines(body: RecordedBody | { bytes: number; sha256: string } | null): string[] {
  if (body === null) return [];
  if ('bytes' in body) return ['', `(${countOf(body.bytes, 'byte')}, SHA-256 ${body.sha256})`];
  if ('base64' in body) return ['', `(base64) ${body.base64}`];
  return ['', ...body.text.split('\n').map(escapeUnprintable)];
}

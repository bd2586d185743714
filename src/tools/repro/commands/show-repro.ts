import type { Formatter } from '../../../cli/output.ts';
import { countOf } from '../../../kernel/count.ts';
import { greatest } from '../../../kernel/greatest.ts';
import {
  describeAction,
  describeInput,
  describeResponse,
  describeResult,
  shortened,
  visible,
} from '../describe.ts';
import { inputsOf, placesOf } from '../places.ts';
import type { InputRecord, RecordedBody, RequestRecord } from '../recording/recording.ts';
import type { Difference, ReproSummary } from '../result.ts';

export function formatSummary(summary: ReproSummary, { block }: Formatter): string {
  const { target, contains, base, replaced, secrets, problem } = summary;
  return block([
    ['target', visible(target)],
    ['contains', visible(contains)],
    ['base', visible(base)],
    ['replaced', visible(replaced)],
    ['secrets', visible(secrets)],
    ...(problem === null ? [] : [['verified', `no: ${visible(problem)}`] as const]),
  ]);
}

interface ShownInputs {
  /** All inputs of the file, which number them. */
  of?: readonly InputRecord[];
  resultOf?: (input: InputRecord) => string;
  /** The input that is marked. */
  marked?: InputRecord | undefined;
}

/** Lines of requests and of acts that no request caused, with aligned results. */
export function formatInputs(
  inputs: readonly InputRecord[],
  { colors, wrapAfter }: Formatter,
  { of = inputs, resultOf = describeResult, marked }: ShownInputs = {},
): string[] {
  const places = placesOf(of);
  const described = inputsOf(inputs).map((input) => {
    const { time } = describeInput(input);
    return { input, time, text: describeAction(input), place: `#${places.get(input)}` };
  });
  const digits = greatest(described.map(({ place }) => place.length));
  const width = greatest(described.map(({ text }) => text.length));
  return described.map(({ input, place, time, text }) => {
    const mark = input === marked ? colors.error('✗') : ' ';
    const result = resultOf(input);
    const indent = digits + time.length + 6;
    const aligned = `${text.padEnd(width)}  ${result}`.trimEnd();
    const fits = wrapAfter(indent, aligned) === aligned;
    const rest = fits ? aligned : wrapAfter(indent, `${text}  ${result}`.trimEnd());
    return `${mark} ${place.padStart(digits)}  ${colors.dim(time)}  ${rest}`;
  });
}

/** The last line: the first rejected partner API request, and the command that shows it. */
export function formatRejected(
  rejected: RequestRecord,
  inputs: readonly InputRecord[],
  file: string,
  { wrapAfter }: Formatter,
): string[] {
  const place = placesOf(inputs).get(rejected) ?? '';
  const { text, result } = describeInput(rejected);
  return [
    wrapAfter(0, `First rejected: #${place} ${text} ${result}. To see it:`),
    `  sandlot repro show ${file} --input ${place}`,
  ];
}

/** A request or an act in full. */
export function formatInput(
  input: InputRecord,
  place: string,
  { block, colors }: Formatter,
): string[] {
  const { time, text } = describeInput(input);
  if (input.kind === 'act') {
    const { params, given } = input;
    return [
      colors.bold(`#${place}  ${time}  ${text.trim()}`),
      ...(params?.body === undefined ? [] : ['', colors.dim('body sent'), visible(params.body)]),
      ...(given ? ['', colors.dim('result'), visible(JSON.stringify(given))] : []),
    ];
  }
  const { api, method, target, headers, body, response } = input;
  return [
    colors.bold(`#${place}  ${time}  ${describeResponse(input)}`),
    block([
      ['request', `${visible(method)} ${visible(target)}`],
      ['request id', visible(input.request_id)],
      ['api', api],
      ['signature', described(input.signature_result)],
      ['body read', described(input.body_result ?? 'passed')],
      ['failed check', visible(input.failed_check ?? 'none')],
    ]),
    '',
    ...headerLines(headers),
    ...bodyLines(body),
    ...(response && !('closed' in response)
      ? ['', colors.dim('response'), ...headerLines(response.headers), ...bodyLines(response.body)]
      : []),
  ];
}

/** A table of differences. */
export function formatDifferences(
  differences: readonly Difference[],
  { colors }: Formatter,
): string[] {
  const rows = differences.map(({ path, recorded, replayed, note }) =>
    note === undefined
      ? [shortened(path), jsonOf(recorded), jsonOf(replayed)]
      : [shortened(path), shortened(note, 200), ''],
  );
  const all = [['', 'recorded', 'replayed'], ...rows];
  const widths = [0, 1].map((at) => greatest(all.map((row) => row[at]?.length ?? 0)));
  return all.map(([path = '', recorded = '', replayed = ''], n) => {
    const line = `  ${path.padEnd(widths[0] ?? 0)}  ${recorded.padEnd(widths[1] ?? 0)}  ${replayed}`;
    return n === 0 ? colors.dim(line.trimEnd()) : line.trimEnd();
  });
}

function described(result: RequestRecord['signature_result']): string {
  if (result === null) return 'not checked';
  return result === 'passed' ? 'passed' : visible(`${result.code}: ${result.message}`);
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${visible(name)}: ${visible(value)}`);
}

function bodyLines(body: RecordedBody | { bytes: number; sha256: string } | null): string[] {
  if (body === null) return [];
  if ('bytes' in body) return ['', `(${countOf(body.bytes, 'byte')}, SHA-256 ${body.sha256})`];
  if ('base64' in body) return ['', `(base64) ${body.base64}`];
  return ['', ...body.text.split('\n').map(visible)];
}

function jsonOf(value: unknown): string {
  return value === undefined ? '(absent)' : shortened(JSON.stringify(value), 80);
}

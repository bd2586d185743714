import { countOf } from '../../../kernel/count.ts';
import { greatest } from '../../../kernel/greatest.ts';
import { describeInput, describeResponse, shortened, visible } from '../../../repro/describe.ts';
import type { ReproBody, ReproInput, ReproRequest } from '../../../repro/format.ts';
import type { Difference, ReproSummary } from '../../../repro/result.ts';
import type { Formatter } from '../../output.ts';

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

/** Lines of inputs, with aligned results. @param markOf returns the mark before a line */
export function formatInputs(
  inputs: readonly ReproInput[],
  { colors }: Formatter,
  resultOf: (input: ReproInput) => string = (input) => describeInput(input).result,
): string[] {
  const described = inputs.map((input) => ({ ...describeInput(input), input }));
  const digits = String(inputs.at(-1)?.n ?? 0).length + 1;
  const width = greatest(described.map(({ text }) => text.length));
  return described.map(({ input, time, text }) => {
    const number = `#${input.n}`.padStart(digits);
    return `  ${number}  ${colors.dim(time)}  ${text.padEnd(width)}  ${resultOf(input)}`.trimEnd();
  });
}

/** An input in full. */
export function formatInput(input: ReproInput, { block, colors }: Formatter): string[] {
  const { time, text } = describeInput(input);
  if (input.kind === 'step') {
    const { body, result } = input;
    return [
      colors.bold(`#${input.n}  ${time}  ${text.trim()}`),
      ...(body ? ['', colors.dim('body sent'), visible(body)] : []),
      ...(result ? ['', colors.dim('result'), visible(JSON.stringify(result))] : []),
    ];
  }
  const { api, method, target, headers, body, response } = input;
  return [
    colors.bold(`#${input.n}  ${time}  ${describeResponse(input)}`),
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

function described(result: ReproRequest['signature_result']): string {
  if (result === null) return 'not checked';
  return result === 'passed' ? 'passed' : visible(`${result.code}: ${result.message}`);
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${visible(name)}: ${visible(value)}`);
}

function bodyLines(body: ReproBody | { bytes: number; sha256: string } | null): string[] {
  if (body === null) return [];
  if ('bytes' in body) return ['', `(${countOf(body.bytes, 'byte')}, SHA-256 ${body.sha256})`];
  if ('base64' in body) return ['', `(base64) ${body.base64}`];
  return ['', ...body.text.split('\n').map(visible)];
}

function jsonOf(value: unknown): string {
  return value === undefined ? '(absent)' : shortened(JSON.stringify(value), 80);
}

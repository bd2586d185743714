import type { Difference } from '../../../repro/compare.ts';
import type { ReproBody, ReproInput, ReproRequest } from '../../../repro/format.ts';
import { outcomeOf, type ReproSummary } from '../../../repro/summary.ts';
import type { BlockLine } from '../../layout.ts';
import type { Formatter } from '../../output.ts';

/** Escapes all invisible characters, line breaks included: text of a stranger stays in its line. */
export function visible(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

const MAX_TARGET = 60;

function shortened(text: string, max = MAX_TARGET): string {
  const shown = visible(text);
  return shown.length > max ? `${shown.slice(0, max - 1)}…` : shown;
}

/** `422 quote_expired`, `closed`, or nothing if the response was not recorded. */
export function describeResponse(request: ReproRequest): string {
  if (!request.response) return '';
  const { status, code } = outcomeOf(request);
  if (status === null) return 'closed';
  return code === null ? String(status) : `${status} ${code}`;
}

/** An input in one line, without its number. */
export function describeInput(input: ReproInput): { time: string; text: string; result: string } {
  const time = new Date(input.at).toISOString().slice(11, 23);
  if (input.kind === 'request') {
    const body = isSmall(input.body) ? ` ${shortened(input.body.text, 40)}` : '';
    const shown = input.api === 'control' ? body : '';
    return {
      time,
      text: `${shortened(input.method, 12)} ${shortened(input.target)}${shown}`,
      result: describeResponse(input),
    };
  }
  const of = input.of === undefined || input.of === null ? '' : ` of #${input.of}`;
  const delivery = input.delivery ? ` ${shortened(input.delivery)}` : '';
  const result = input.result && 'outcome' in input.result ? shortened(input.result.outcome) : '';
  return { time, text: `  ${input.label}${of}${delivery}`, result };
}

function isSmall(body: ReproBody | null): body is { text: string } {
  return body !== null && 'text' in body && body.text !== '{}';
}

/** Lines of inputs, with aligned results. */
export function describeInputs(inputs: readonly ReproInput[], { colors }: Formatter): string[] {
  const described = inputs.map((input) => ({ n: input.n, ...describeInput(input) }));
  const digits = String(inputs.at(-1)?.n ?? 0).length + 1;
  const width = Math.max(0, ...described.map(({ text }) => text.length));
  return described.map(({ n, time, text, result }) => {
    const number = `#${n}`.padStart(digits);
    return `  ${number}  ${colors.dim(time)}  ${text.padEnd(width)}  ${result}`.trimEnd();
  });
}

export function summaryLines(summary: ReproSummary): BlockLine[] {
  const { target, contains, base, sandlot, minting } = summary;
  const outcome = [target.status, target.code].filter((each) => each !== null).join(' ');
  return [
    [
      'target',
      `#${target.input} ${shortened(`${target.method ?? ''} ${target.target}`.trim())} ${outcome}`,
    ],
    ['contains', describeContents(contains)],
    [
      'base',
      base.type === 'seed'
        ? `seed ${shortened(base.seed)}, ${counted(base.inventory, 'domain')}, sandlot ${shortened(sandlot)}`
        : `${counted(base.rows, 'row')} with ${counted(base.inventory, 'domain')}, sandlot ${shortened(sandlot)}`,
    ],
    ['replaced', describeReplaced(summary)],
    [
      'secrets',
      minting.length === 0
        ? 'none'
        : `none, but those minted by ${minting.map((n) => `#${n}`).join(', ')} can be computed from the file`,
    ],
    ...(summary.verified ? [] : ([['verified', describeProblem(summary)]] as const)),
  ];
}

export function describeProblem({ problem }: ReproSummary): string {
  if (!problem) return 'no';
  const cause =
    problem.cause === 'replacing' ? 'replacing personal data changes' : 'a replay changes';
  return `no: ${cause} input ${problem.input}`;
}

function describeContents({ partner, control, page, steps }: ReproSummary['contains']): string {
  const parts = [
    [partner, 'partner API request'],
    [control, 'control API request'],
    [page, 'page view'],
    [steps, 'step', 'of background work'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0);
  return shown
    .map(([count, noun, of]) => `${counted(count, noun)}${of ? ` ${of}` : ''}`)
    .join(', ');
}

const KINDS = {
  buyer_email: 'email address',
  buyer_name: 'buyer name',
  webhook_url: 'webhook URL',
  receiver_response: "receiver's response",
  live_key_id: 'LIVE key ID',
} as const;

function describeReplaced({ personal_data, replaced }: ReproSummary): string {
  if (personal_data === 'kept') return 'secrets only; personal data is in the file';
  const shown = Object.entries(KINDS).flatMap(([kind, noun]) => {
    const count = replaced[kind as keyof typeof KINDS] ?? 0;
    return count === 0 ? [] : [counted(count, noun)];
  });
  return shown.length === 0 ? 'nothing' : shown.join(', ');
}

export function counted(count: number, noun: string): string {
  const plural = noun.endsWith('s') && count !== 1 ? `${noun}es` : `${noun}s`;
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}

/** An input in full. */
export function describeWhole(input: ReproInput, { block, colors }: Formatter): string[] {
  const { time, text } = describeInput(input);
  const title = `#${input.n}  ${time}  ${text.trim()}`;
  if (input.kind === 'step') {
    const { body, result } = input;
    return [
      colors.bold(title),
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

function described(result: ReproRequest['signature_result']): string {
  if (result === null) return 'not checked';
  return result === 'passed' ? 'passed' : visible(`${result.code}: ${result.message}`);
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${visible(name)}: ${visible(value)}`);
}

type AnyBody = ReproBody | { bytes: number; sha256: string } | null;

function bodyLines(body: AnyBody): string[] {
  if (body === null) return [];
  if ('bytes' in body) return ['', `(${counted(body.bytes, 'byte')}, SHA-256 ${body.sha256})`];
  if ('base64' in body) return ['', `(base64) ${body.base64}`];
  return ['', ...body.text.split('\n').map(visible)];
}

/** The rows of a table of differences. */
export function differenceLines(
  differences: readonly Difference[],
  { colors }: Formatter,
): string[] {
  const rows = differences.map(({ path, recorded, replayed, note }) =>
    note === undefined
      ? [shortened(path), jsonOf(recorded), jsonOf(replayed)]
      : [shortened(path), note, ''],
  );
  const all = [['', 'recorded', 'replayed'], ...rows];
  const widths = [0, 1].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map(([path = '', recorded = '', replayed = ''], n) => {
    const line = `  ${path.padEnd(widths[0] ?? 0)}  ${recorded.padEnd(widths[1] ?? 0)}  ${replayed}`;
    return n === 0 ? colors.dim(line.trimEnd()) : line.trimEnd();
  });
}

function jsonOf(value: unknown): string {
  return value === undefined ? '(absent)' : shortened(JSON.stringify(value), 80);
}

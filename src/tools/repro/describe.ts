import { countOf } from '../../kernel/count.ts';
import { isoTime } from '../../kernel/time.ts';
import { domainOfToken } from '../../market/row-token.ts';
import { lookUp } from './fields.ts';
import {
  type InputRecord,
  jsonOf,
  type Repro,
  type ReproHead,
  type ReproRow,
  type RequestRecord,
  textOf,
} from './format.ts';
import { atPlace, inputsOf, placesOf } from './places.ts';
import type { PersonalKind } from './replace.ts';
import type { ReproSummary } from './result.ts';

export function describeRepro(repro: Repro, file?: { name: string; bytes: number }): ReproSummary {
  const { head, rows, inputs } = repro;
  const requests = inputs.filter((input) => input.kind === 'request');
  const count = inputsOf(inputs).length;
  const target = atPlace(inputs, head.target);
  return {
    file: file?.name ?? null,
    bytes: file?.bytes ?? null,
    world: visible(head.world),
    inputs: count,
    target: target ? `#${head.target} ${summaryOf(target)}` : 'none',
    contains: describeContents(requests, count),
    base: describeBase(head, rows),
    replaced: describeReplaced(head.privacy),
    secrets: describeSecrets(requests.filter(mints), placesOf(inputs)),
    verified: head.verified,
    problem: head.verified ? null : describeProblem(head, inputs),
  };
}

/** Escapes all invisible characters, line breaks included, because the text may come from a stranger. */
export function visible(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

export function shortened(text: string, max = 60): string {
  const shown = visible(text.length > 4 * max ? text.slice(0, 4 * max) : text);
  return shown.length > max ? `${shown.slice(0, max - 1)}…` : shown;
}

/** A value in a line: texts without quotation marks. */
export function valueText(value: unknown, max = 80): string {
  return typeof value === 'string' ? shortened(value, max) : jsonText(value, max);
}

/** A value in a line, as JSON. */
export function jsonText(value: unknown, max = 80): string {
  return value === undefined ? '(absent)' : shortened(JSON.stringify(value), max);
}

/** `422 quote_expired`, `closed`, or nothing if the response was not recorded. */
export function describeResponse({ response }: RequestRecord): string {
  if (!response) return '';
  if ('closed' in response) return 'closed';
  const { status, body } = response;
  const [, code] =
    status >= 400 ? (/^\{"error":\{"code":"([a-z_]+)"/.exec(textOf(body)) ?? []) : [];
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** A request with its acts, or an act that no request caused, in one line. */
export interface InputLine {
  /** `12`, or `12.1` for the first read after act 12. */
  place: string;
  requestId: string | null;
  /** Real time, Unix ms. */
  time: number;
  text: string;
  result: string;
}

/** @param of all of the file, which number them */
export function describeInputs(
  inputs: readonly InputRecord[],
  of: readonly InputRecord[] = inputs,
): InputLine[] {
  const places = placesOf(of);
  return inputs.map((input) => ({
    place: places.get(input) ?? '',
    requestId: input.kind === 'request' ? input.request_id : null,
    time: input.at,
    text: `${callOf(input)} ${subjectOf(input)}`.trimEnd(),
    result: [resultOf(input), reasonOf(input)].filter(Boolean).join(', '),
  }));
}

/** `POST /api/partner/v1/orders 422 quote_expired` */
export function summaryOf(input: InputRecord): string {
  return `${callOf(input)} ${resultOf(input)}`.trim();
}

/** `POST /_sandbox/clock/advance {"by":"11m"}`, or `attempt dlv_1`. */
function callOf(input: InputRecord): string {
  if (input.kind === 'request') {
    const own = input.api === 'control' ? textOf(input.body) : '';
    const body = own === '' || own === '{}' ? '' : ` ${shortened(own, 40)}`;
    return `${shortened(input.method, 12)} ${shortened(input.target)}${body}`;
  }
  const { cause, params } = input;
  const id = 'id' in cause && cause.id ? ` ${shortened(cause.id)}` : '';
  const to = params?.to === undefined ? '' : ` ${isoTime(params.to)}`;
  return `${cause.type}${id}${to}`;
}

function resultOf(input: InputRecord): string {
  if (input.kind === 'request') return describeResponse(input);
  return (input.given ?? []).map(({ outcome }) => shortened(outcome)).join(', ');
}

/** Why a request was rejected, up to what to do about it. */
function reasonOf(input: InputRecord): string {
  if (input.kind === 'act') return '';
  const { value } = lookUp(jsonOf(input.response), 'error.message');
  return typeof value === 'string' ? shortened(value.split(';')[0] ?? '', 100) : '';
}

const SUBJECT = /"(domain|public_id|quote_id)"\s*:\s*"([\w.-]{1,400})"/;

/** The domain or the order that an input is about, or the domain of its quote, if its line does not say it. */
function subjectOf(input: InputRecord): string {
  const texts =
    input.kind === 'act'
      ? [input.params?.body ?? '']
      : [textOf(input.body), input.method === 'GET' ? '' : textOf(input.response)];
  for (const text of texts) {
    const [, field, value = ''] = SUBJECT.exec(text) ?? [];
    const name = field === 'quote_id' ? domainOfToken(value) : value;
    if (name && /^[\w.-]{1,60}$/.test(name)) return callOf(input).includes(name) ? '' : name;
  }
  return '';
}

function describeContents(requests: readonly RequestRecord[], inputs: number): string {
  const count = (api: RequestRecord['api']) => requests.filter((each) => each.api === api).length;
  const parts: [count: number, noun: string, of?: string][] = [
    [count('partner'), 'partner API request'],
    [count('control'), 'control API request'],
    [count('page'), 'page view'],
    [inputs - requests.length, 'act', ' of scheduled work'],
  ];
  return parts
    .filter(([each]) => each > 0)
    .map(([each, noun, of = '']) => `${countOf(each, noun)}${of}`)
    .join(', ');
}

function describeBase({ base, sandlot }: ReproHead, rows: readonly ReproRow[]): string {
  const version = `sandlot ${shortened(sandlot)}`;
  if (base.type === 'seed') {
    return `seed ${shortened(base.seed)}, ${countOf(base.inventory, 'domain')}, ${version}`;
  }
  const domains = rows.filter(({ table }) => table === 'listings').length;
  return `${countOf(rows.length, 'row')} with ${countOf(domains, 'domain')}, ${version}`;
}

const KINDS: Readonly<Record<PersonalKind, string>> = {
  buyer_email: 'email address',
  buyer_name: 'buyer name',
  webhook_url: 'webhook URL',
  receiver_response: "receiver's response",
  live_key_id: 'LIVE key ID',
};

function describeReplaced({ personal_data, replaced }: ReproHead['privacy']): string {
  if (personal_data === 'kept') return 'secrets only; personal data is in the file';
  const shown = Object.entries(KINDS).flatMap(([kind, noun]) => {
    const count = replaced[kind] ?? 0;
    return count === 0 ? [] : [countOf(count, noun)];
  });
  return shown.length === 0 ? 'nothing' : shown.join(', ');
}

function describeSecrets(
  minting: readonly RequestRecord[],
  places: ReadonlyMap<InputRecord, string>,
): string {
  if (minting.length === 0) return 'none';
  const numbers = minting.map((each) => `#${places.get(each)}`).join(', ');
  return `none, but those that ${numbers} minted can be computed from the file`;
}

function mints(request: RequestRecord): boolean {
  const { api, method, target, body } = request;
  const isMint = api === 'control' && method === 'POST' && /\/credentials(?:\?|$)/.test(target);
  return isMint && describeResponse(request) === '201' && !/"secret"\s*:/.test(textOf(body));
}

function describeProblem({ problem }: ReproHead, inputs: readonly InputRecord[]): string {
  if (!problem) return 'not verified';
  const found = atPlace(inputs, problem.input);
  const input = `input ${problem.input}${found ? ` (${callOf(found)})` : ''}`;
  return problem.cause === 'replacing'
    ? `replacing personal data changes the output of ${input}; --keep-personal-data avoids that`
    : `a replay of the recording changes the output of ${input}`;
}

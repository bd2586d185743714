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
import { findInput, listedInputs, placesOf } from './places.ts';
import type { PersonalKind } from './replace.ts';
import type { ReproSummary } from './result.ts';

export function describeRepro(repro: Repro, file?: { name: string; bytes: number }): ReproSummary {
  const { head, rows, inputs } = repro;
  const requests = inputs.filter((input) => input.kind === 'request');
  const count = listedInputs(inputs).length;
  const target = findInput(inputs, head.target);
  return {
    file: file?.name ?? null,
    bytes: file?.bytes ?? null,
    world: escapeUnprintable(head.world),
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

/** Escapes all invisible characters, line breaks included, because a file may come from anyone. */
export function escapeUnprintable(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

export function shorten(text: string, max = 60): string {
  const escaped = escapeUnprintable(text.length > 4 * max ? text.slice(0, 4 * max) : text);
  return escaped.length > max ? `${escaped.slice(0, max - 1)}…` : escaped;
}

/** Formats a value for a line: text without quotation marks, other values as JSON. */
export function valueText(value: unknown, max = 80): string {
  return typeof value === 'string' ? shorten(value, max) : jsonText(value, max);
}

/** Formats a value for a line, as JSON. */
export function jsonText(value: unknown, max = 80): string {
  return value === undefined ? '(absent)' : shorten(JSON.stringify(value), max);
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

/** @param allInputs all inputs of the file, which determine the places */
export function describeInputs(
  inputs: readonly InputRecord[],
  allInputs: readonly InputRecord[] = inputs,
): InputLine[] {
  const places = placesOf(allInputs);
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
    const bodyText = input.api === 'control' ? textOf(input.body) : '';
    const body = bodyText === '' || bodyText === '{}' ? '' : ` ${shorten(bodyText, 40)}`;
    return `${shorten(input.method, 12)} ${shorten(input.target)}${body}`;
  }
  const { cause, params } = input;
  const id = 'id' in cause && cause.id ? ` ${shorten(cause.id)}` : '';
  const to = params?.to === undefined ? '' : ` ${isoTime(params.to)}`;
  return `${cause.type}${id}${to}`;
}

function resultOf(input: InputRecord): string {
  if (input.kind === 'request') return describeResponse(input);
  return (input.given ?? []).map(({ outcome }) => shorten(outcome)).join(', ');
}

/** Returns the reason of a rejection: its error message up to the semicolon, after which the fix is. */
function reasonOf(input: InputRecord): string {
  if (input.kind === 'act') return '';
  const { value } = lookUp(jsonOf(input.response), 'error.message');
  return typeof value === 'string' ? shorten(value.split(';')[0] ?? '', 100) : '';
}

const SUBJECT = /"(domain|public_id|quote_id)"\s*:\s*"([\w.-]{1,400})"/;

/** Returns the domain or order of an input, or the domain of its quote, unless the line of the input names it. */
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
  const count = (api: RequestRecord['api']) =>
    requests.filter((request) => request.api === api).length;
  const parts: [count: number, noun: string, suffix?: string][] = [
    [count('partner'), 'partner API request'],
    [count('control'), 'control API request'],
    [count('page'), 'page view'],
    [inputs - requests.length, 'act', ' of scheduled work'],
  ];
  return parts
    .filter(([n]) => n > 0)
    .map(([n, noun, suffix = '']) => `${countOf(n, noun)}${suffix}`)
    .join(', ');
}

function describeBase({ base, sandlot }: ReproHead, rows: readonly ReproRow[]): string {
  const version = `sandlot ${shorten(sandlot)}`;
  if (base.type === 'seed') {
    return `seed ${shorten(base.seed)}, ${countOf(base.inventory, 'domain')}, ${version}`;
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
  const counts = Object.entries(KINDS).flatMap(([kind, noun]) => {
    const count = replaced[kind] ?? 0;
    return count === 0 ? [] : [countOf(count, noun)];
  });
  return counts.length === 0 ? 'nothing' : counts.join(', ');
}

function describeSecrets(
  mintRequests: readonly RequestRecord[],
  places: ReadonlyMap<InputRecord, string>,
): string {
  if (mintRequests.length === 0) return 'none';
  const numbers = mintRequests.map((request) => `#${places.get(request)}`).join(', ');
  return `none, but those that ${numbers} minted can be computed from the file`;
}

function mints(request: RequestRecord): boolean {
  const { api, method, target, body } = request;
  const isMint = api === 'control' && method === 'POST' && /\/credentials(?:\?|$)/.test(target);
  return isMint && describeResponse(request) === '201' && !/"secret"\s*:/.test(textOf(body));
}

function describeProblem({ problem }: ReproHead, inputs: readonly InputRecord[]): string {
  if (!problem) return 'not verified';
  const problemInput = findInput(inputs, problem.input);
  const input = `input ${problem.input}${problemInput ? ` (${callOf(problemInput)})` : ''}`;
  return problem.cause === 'replacing'
    ? `replacing personal data changes the output of ${input}; --keep-personal-data avoids that`
    : `a replay of the recording changes the output of ${input}`;
}

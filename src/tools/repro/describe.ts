import { countOf } from '../../kernel/count.ts';
import { parseJson } from '../../kernel/json.ts';
import type { Repro, ReproHead, ReproRow } from './format.ts';
import { inputsOf, placesOf } from './places.ts';
import type { InputRecord, RecordedBody, RequestRecord } from './recording/recording.ts';
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
    target: target ? describeTarget(target, head.target) : 'none',
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

/** `422 quote_expired`, `closed`, or nothing if the response was not recorded. */
export function describeResponse({ response }: RequestRecord): string {
  if (!response) return '';
  if ('closed' in response) return 'closed';
  const { status, body } = response;
  const text = 'text' in body ? body.text : '';
  const [, code] = status >= 400 ? (/^\{"error":\{"code":"([a-z_]+)"/.exec(text) ?? []) : [];
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** What an input is about, if its line does not say it: the domain or the ID of an order. */
function subjectOf(input: InputRecord): string {
  const own = input.kind === 'act' ? input.params?.body : textOfBody(input.body);
  const answered =
    input.kind === 'request' && input.method !== 'GET' && input.response && 'body' in input.response
      ? textOfBody(input.response.body)
      : '';
  const [, name = ''] = SUBJECT.exec(own ?? '') ?? SUBJECT.exec(answered) ?? [];
  return name === '' || describeInput(input).text.includes(name) ? '' : name;
}

const SUBJECT = /"(?:domain|public_id)"\s*:\s*"([\w.-]{1,60})"/;

/** Why a request was rejected, up to what to do about it. */
function reasonOf({ response }: RequestRecord): string {
  if (!response || 'closed' in response || response.status < 400) return '';
  const [, message] = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(textOfBody(response.body)) ?? [];
  const text: unknown = message === undefined ? '' : parseJson(message);
  return typeof text === 'string' ? shortened(text.split(';')[0] ?? '', 100) : '';
}

function textOfBody(body: RecordedBody | object | null): string {
  return body !== null && 'text' in body ? String(body.text) : '';
}

/** An input in one line, without its number. */
export function describeInput(input: InputRecord): { time: string; text: string; result: string } {
  const time = new Date(input.at).toISOString().slice(11, 23);
  if (input.kind === 'request') {
    const body =
      input.api === 'control' && isSmall(input.body) ? ` ${shortened(input.body.text, 40)}` : '';
    return {
      time,
      text: `${shortened(input.method, 12)} ${shortened(input.target)}${body}`,
      result: describeResponse(input),
    };
  }
  const { cause, params, given = [] } = input;
  const id = 'id' in cause && cause.id ? ` ${shortened(cause.id)}` : '';
  const to = params?.to === undefined ? '' : ` ${new Date(params.to).toISOString()}`;
  const result = given.map(({ outcome }) => shortened(outcome)).join(', ');
  return { time, text: `  ${cause.type}${id}${to}`, result };
}

/** `422 quote_expired, quote_id: expired at 09:14`. */
export function describeResult(input: InputRecord): string {
  const { result } = describeInput(input);
  const reason = input.kind === 'request' ? reasonOf(input) : '';
  return reason === '' ? result : `${result}, ${reason}`;
}

/** What an input does, and what it is about. */
export function describeAction(input: InputRecord): string {
  return `${describeInput(input).text} ${subjectOf(input)}`.trimEnd();
}

/** Returns the request or act at a place. */
export function atPlace(inputs: readonly InputRecord[], place: string): InputRecord | undefined {
  const places = placesOf(inputs);
  return inputs.find((each) => places.get(each) === place);
}

function describeTarget(input: InputRecord, place: string): string {
  const { text, result } = describeInput(input);
  return `#${place} ${text.trim()} ${result}`.trim();
}

function isSmall(body: RecordedBody | null): body is { text: string } {
  return body !== null && 'text' in body && body.text !== '{}';
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
  const { api, method, target } = request;
  const isMint = api === 'control' && method === 'POST' && /\/credentials(?:\?|$)/.test(target);
  const body = request.body && 'text' in request.body ? request.body.text : '';
  return isMint && describeResponse(request) === '201' && !/"secret"\s*:/.test(body);
}

function describeProblem({ problem }: ReproHead, inputs: readonly InputRecord[]): string {
  if (!problem) return 'not verified';
  const found = atPlace(inputs, problem.input);
  const input = `input ${problem.input}${found ? ` (${describeInput(found).text.trim()})` : ''}`;
  return problem.cause === 'replacing'
    ? `replacing personal data changes the output of ${input}; --keep-personal-data avoids that`
    : `a replay of the recording changes the output of ${input}`;
}

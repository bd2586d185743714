import { domainOfToken } from '../../market/row-token.ts';
import { jsonOf, type Repro, type RequestRecord, textOf } from './format.ts';
import type { ReproSummary } from './result.ts';

export function describeRepro(repro: Repro, file?: { name: string; bytes: number }): ReproSummary {
  const { head, requests } = repro;
  const target = requests.find(({ n }) => n === head.target);
  return {
    file: file?.name ?? null,
    bytes: file?.bytes ?? null,
    world: head.world,
    sandlot: escapeUnprintable(head.sandlot),
    inputs: requests.length,
    target: target ? `#${head.target} ${summaryOf(target)}` : 'none',
    personal_data: head.privacy.personal_data,
    verified: head.problem === null,
    problem: head.problem && escapeUnprintable(head.problem),
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

/** `422 quote_expired`, or `closed`. */
export function describeResponse({ response, code }: RequestRecord): string {
  if ('closed' in response) return 'closed';
  return code === null ? String(response.status) : `${response.status} ${shorten(code)}`;
}

/** A request in one line. */
export interface RequestLine {
  n: number;
  /** Real time, Unix ms. */
  time: number;
  text: string;
  result: string;
}

export function describeRequests(requests: readonly RequestRecord[]): RequestLine[] {
  return requests.map((request) => ({
    n: request.n,
    time: request.at,
    text: `${callOf(request)} ${subjectOf(request)}`.trimEnd(),
    result: [describeResponse(request), reasonOf(request)].filter(Boolean).join(', '),
  }));
}

/** `POST /api/partner/v1/orders 422 quote_expired` */
function summaryOf(request: RequestRecord): string {
  return `${callOf(request)} ${describeResponse(request)}`.trim();
}

/** `POST /_sandbox/clock/advance {"by":"11m"}` */
function callOf({ api, method, target, body: sent }: RequestRecord): string {
  const bodyText = api === 'control' ? textOf(sent) : '';
  const body = bodyText === '' || bodyText === '{}' ? '' : ` ${shorten(bodyText, 40)}`;
  return `${shorten(method, 12)} ${shorten(target)}${body}`;
}

/** Returns the reason of a rejection: its error message up to the semicolon, after which the fix is. */
function reasonOf({ response }: RequestRecord): string {
  const { error } = Object(jsonOf(response)) as { error?: { message?: unknown } };
  const message = error?.message;
  return typeof message === 'string' ? shorten(message.split(';')[0] ?? '', 100) : '';
}

const SUBJECT = /"(domain|public_id|quote_id)"\s*:\s*"([\w.-]{1,400})"/;

/** Returns the domain or order of a request, or the domain of its quote, unless its line names it. */
function subjectOf(request: RequestRecord): string {
  const { body, method, response } = request;
  for (const text of [textOf(body), method === 'GET' ? '' : textOf(response)]) {
    const [, field, value = ''] = SUBJECT.exec(text) ?? [];
    const name = field === 'quote_id' ? domainOfToken(value) : value;
    if (name && /^[\w.-]{1,60}$/.test(name)) return callOf(request).includes(name) ? '' : name;
  }
  return '';
}

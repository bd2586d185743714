import { mentionsSecret, type Redaction } from '../redaction/redaction.ts';
import { omitted } from '../redaction/structured.ts';
import { sha256Hex } from '../signing/signature.ts';
import { BEYOND_KEPT, beginningOf, KEPT_BODY_BYTES } from './keep-body.ts';
import {
  type EntryColumns,
  type EntryHead,
  faultOf,
  keptWhole,
  type RawEntry,
} from './log-entry.ts';
import type { RequestRow } from './log-file.ts';
import type { KeptBody } from './message.ts';

/** Length in characters up to which a response is certainly kept whole. */
const SURELY_WHOLE = 8_000;

/** Makes the row of an entry, without secrets and with only the beginning of a long response. */
export function redactEntry(
  raw: RawEntry,
  redaction: Redaction,
  isCredentialSecret: (secret: string) => boolean,
): Omit<RequestRow, 'seq'> {
  const { columns, requestId = null, body, response } = raw;
  const runs = JSON.stringify(raw.runs);
  const isSpecial = body !== '' && mayBeSpecial(raw);
  if (isSpecial) learnSecret(raw, redaction);
  const head = JSON.stringify(raw.head);
  const acts = raw.acts === undefined ? null : JSON.stringify(raw.acts);
  // A quote ends a value, as it does in JSON.
  const sent = `${columns.method}"${columns.target}"${raw.headers.join('"')}"${body}`;
  const texts = `${sent}"${head}"${response}"${acts ?? ''}`;
  const isWhole = body.length < SURELY_WHOLE && response.length < SURELY_WHOLE;
  const isClean = isWhole && redaction.isClean(texts);
  const headers = JSON.stringify(redaction.headers(raw.headers, isClean));
  if (isClean && !isSpecial) {
    return {
      ...columns,
      fault: faultOf(raw.head),
      requestId,
      runs,
      acts,
      head,
      headers,
      body,
      response,
    };
  }
  const redacted = redactParts(raw, redaction);
  if (!isClean && secretsOfRequest(raw, redaction).some(isCredentialSecret)) {
    redacted.head.sentSecret = true;
  }
  return {
    ...redacted.columns,
    fault: faultOf(redacted.head),
    requestId,
    runs,
    acts: acts && JSON.stringify(redaction.value(raw.acts)),
    head: JSON.stringify(redacted.head),
    headers,
    body: redacted.body,
    response: redacted.response,
  };
}

/** Whether a body may hold secrets that do not look like any: binary data, a form, a registration. */
function mayBeSpecial({ columns, body }: RawEntry): boolean {
  return !/^\s*[[{]/.test(body) || /webhooks|credentials/.test(columns.target);
}

/** Remembers a secret that the request sets: it may be replaced before later entries are written. */
function learnSecret({ columns: { target, status }, body }: RawEntry, redaction: Redaction): void {
  if (status !== null && status < 300) redaction.learnFrom(target, body);
}

/** Returns the known secrets in the target, the headers and the body of a request. */
function secretsOfRequest(
  { columns, head, headers, body }: RawEntry,
  redaction: Redaction,
): string[] {
  return [columns.target, headers.join('"'), plainBody(body, head.body)].flatMap((text) =>
    redaction.secretsIn(text),
  );
}

function plainBody(body: string, { encoding }: KeptBody): string {
  return encoding === 'utf8' ? body : Buffer.from(body, encoding).toString('latin1');
}

function redactParts(
  { columns, head, ...raw }: RawEntry,
  redaction: Redaction,
): Pick<RawEntry, 'columns' | 'head' | 'body' | 'response'> {
  const { text: body, ...keptBody } = redactBody(raw.body, columns, head.body, redaction);
  const { text: response, ...keptResponse } = redactResponse(raw.response, columns, redaction);
  const target = redaction.target(columns.target);
  const isBodyKept = body === raw.body;
  const signedString = redaction.text(head.signedString ?? '');
  // A client may have signed the query or, by mistake, the body.
  const isKept = (isBodyKept && target === columns.target) || !mentionsSecret(signedString);
  const redacted: EntryHead = {
    ...head,
    body: keptBody,
    bodySha256:
      isBodyKept || head.bodySha256
        ? head.bodySha256
        : sha256Hex(Buffer.from(raw.body, head.body.encoding)),
    responseHeaders: head.responseHeaders.map(([name, value]) => [name, redaction.text(value)]),
    response: keptResponse.altered === null ? null : keptResponse,
    steps: redaction.value(head.steps) as EntryHead['steps'],
    signedString: (isKept && signedString) || null,
  };
  const method = redaction.text(columns.method);
  const keyId = columns.keyId && redaction.text(columns.keyId);
  return { columns: { ...columns, method, keyId, target }, head: redacted, body, response };
}

function redactBody(
  text: string,
  { target }: EntryColumns,
  info: KeptBody,
  redaction: Redaction,
): KeptBody & { text: string } {
  if (text === '') return { ...info, text };
  const plain = plainBody(text, info);
  const redacted = redaction.body(plain, target);
  if (redacted === plain && info.altered === null) return { ...info, text };
  const buffer =
    redacted === undefined
      ? omitted(Buffer.from(text, info.encoding))
      : Buffer.from(redacted, info.encoding === 'utf8' ? 'utf8' : 'latin1');
  return {
    ...info,
    altered: info.altered ?? 'redacted',
    text: (info.altered === 'truncated' ? beginningOf(buffer) : buffer).toString(info.encoding),
  };
}

function redactResponse(
  text: string,
  { api }: EntryColumns,
  redaction: Redaction,
): KeptBody & { text: string } {
  const whole = Buffer.from(text);
  const isTruncated = whole.length > KEPT_BODY_BYTES;
  const excerpt = isTruncated ? whole.subarray(0, KEPT_BODY_BYTES + BEYOND_KEPT).toString() : text;
  // Only the control API responds with fields that are secrets.
  const redacted = api === 'control' ? redaction.response(excerpt) : redaction.text(excerpt);
  const loggedText =
    redacted === undefined
      ? omitted(whole).toString()
      : beginningOf(Buffer.from(redacted)).toString();
  return {
    ...keptWhole(text),
    altered: isTruncated ? 'truncated' : loggedText === text ? null : 'redacted',
    ...(isTruncated && { sha256: sha256Hex(whole) }),
    text: loggedText,
  };
}

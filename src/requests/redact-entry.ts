import { mentionsSecret, type Redaction } from '../redaction/redaction.ts';
import { omitted } from '../redaction/structured.ts';
import { sha256Hex } from '../signing/signature.ts';
import { BEYOND_KEPT, beginningOf, KEPT_BODY_BYTES } from './keep-body.ts';
import { columnsOf, type EntryHead, keptWhole, type RawEntry } from './log-entry.ts';
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
  const { requestId = null, body, response } = raw;
  const isSpecial = body !== '' && mayBeSpecial(raw);
  if (isSpecial) learnSecret(raw, redaction);
  const head = JSON.stringify(raw.head);
  const acts = raw.acts === undefined ? null : JSON.stringify(raw.acts);
  // A quote ends a value, as it does in JSON.
  const texts = `${head}"${raw.headers.join('"')}"${body}"${response}"${acts ?? ''}`;
  const isWhole = body.length < SURELY_WHOLE && response.length < SURELY_WHOLE;
  const isClean = isWhole && redaction.isClean(texts);
  const headers = JSON.stringify(redaction.headers(raw.headers, isClean));
  if (isClean && !isSpecial) {
    return { ...columnsOf(raw.head), requestId, acts, head, headers, body, response };
  }
  const redacted = redactParts(raw, redaction);
  if (!isClean && secretsOfRequest(raw, redaction).some(isCredentialSecret)) {
    redacted.head.sentSecret = true;
  }
  return {
    ...redacted,
    ...columnsOf(redacted.head),
    requestId,
    acts: acts && JSON.stringify(redaction.value(raw.acts)),
    head: JSON.stringify(redacted.head),
    headers,
  };
}

/** Whether a body may hold secrets that do not look like any: binary data, a form, a registration. */
function mayBeSpecial({ head, body }: RawEntry): boolean {
  return !/^\s*[[{]/.test(body) || /webhooks|credentials/.test(head.target);
}

/** Remembers a secret that the request sets: it may be replaced before later entries are written. */
function learnSecret({ head: { target, status }, body }: RawEntry, redaction: Redaction): void {
  if (status !== null && status < 300) redaction.learnFrom(target, body);
}

/** Returns the known secrets in the target, the headers and the body of a request. */
function secretsOfRequest({ head, headers, body }: RawEntry, redaction: Redaction): string[] {
  return [head.target, headers.join('"'), plainBody(body, head.body)].flatMap((text) =>
    redaction.secretsIn(text),
  );
}

function plainBody(body: string, { encoding }: KeptBody): string {
  return encoding === 'utf8' ? body : Buffer.from(body, encoding).toString('latin1');
}

function redactParts(
  { head, ...raw }: RawEntry,
  redaction: Redaction,
): { head: EntryHead; body: string; response: string } {
  const { text: body, ...keptBody } = redactBody(raw.body, head, redaction);
  const { text: response, ...keptResponse } = redactResponse(raw.response, head, redaction);
  const target = redaction.target(head.target);
  const isBodyKept = body === raw.body;
  const signedString = redaction.text(head.signedString ?? '');
  // A client may have signed the query or, by mistake, the body.
  const isKept = (isBodyKept && target === head.target) || !mentionsSecret(signedString);
  const redacted: EntryHead = {
    ...head,
    method: redaction.text(head.method),
    keyId: head.keyId && redaction.text(head.keyId),
    target,
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
  return { head: redacted, body, response };
}

function redactBody(
  text: string,
  { target, body: info }: EntryHead,
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
  { api }: EntryHead,
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

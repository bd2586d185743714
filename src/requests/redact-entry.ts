import { mentionsSecret, type Redaction } from '../redaction/redaction.ts';
import { omitted } from '../redaction/structured.ts';
import { sha256Hex } from '../signing/signature.ts';
import { BEYOND_KEPT, beginningOf, KEPT_BODY_BYTES } from './keep-body.ts';
import {
  columnsOf,
  type EntryColumns,
  type EntryHead,
  headerPairs,
  keptWhole,
  type RawEntry,
} from './log-entry.ts';
import type { KeptBody } from './message.ts';

/** In characters; a longer response may have to be truncated. */
const SURELY_WHOLE = 8_000;

export interface RedactedEntry {
  entry: RawEntry;
  /** Whether the request or its response contains a known secret, as far as a first look tells. */
  mayHaveSecret: boolean;
}

/** Takes the secrets out of an entry, and keeps only the beginning of a long response. */
export function redactEntry(raw: RawEntry, redaction: Redaction): RedactedEntry {
  const isSpecial = raw.body !== '' && mayBeSpecial(raw);
  if (isSpecial) learnSecret(raw, redaction);
  // A quote ends a value, as it does in JSON.
  const texts = `${raw.head}"${raw.headers}"${raw.body}"${raw.response}"${raw.acts ?? ''}`;
  const isWhole = raw.body.length < SURELY_WHOLE && raw.response.length < SURELY_WHOLE;
  const isClean = isWhole && redaction.isClean(texts);
  const headers = JSON.stringify(redaction.headers(headerPairs(raw.headers), isClean).flat());
  const entry = isClean && !isSpecial ? raw : { ...raw, ...redactParts(raw, redaction) };
  return { entry: { ...entry, headers }, mayHaveSecret: !isClean };
}

/** Whether a body may hold secrets that do not look like any: binary data, a form, a registration. */
function mayBeSpecial({ head, body }: RawEntry): boolean {
  return !/^\s*[[{]/.test(body) || /webhooks|credentials/.test(head);
}

/** When later entries are written, another secret may have taken the place of one that was set. */
function learnSecret(raw: RawEntry, redaction: Redaction): void {
  const { target, status } = JSON.parse(raw.head) as EntryHead;
  if (status !== null && status < 300) redaction.learnFrom(target, raw.body);
}

/** Returns the known secrets in the target, the headers and the body of a request. */
export function secretsOfRequest(raw: RawEntry, redaction: Redaction): string[] {
  const { target, body } = JSON.parse(raw.head) as EntryHead;
  const plain =
    body.encoding === 'utf8' ? raw.body : Buffer.from(raw.body, body.encoding).toString('latin1');
  return [target, raw.headers, plain].flatMap((text) => redaction.secretsIn(text));
}

function redactParts(
  raw: RawEntry,
  redaction: Redaction,
): EntryColumns & Pick<RawEntry, 'head' | 'body' | 'response' | 'acts'> {
  const head = JSON.parse(raw.head) as EntryHead;
  const { text: body, ...keptBody } = redactBody(raw.body, head, redaction);
  const { text: response, ...keptResponse } = redactResponse(raw.response, head, redaction);
  const target = redaction.target(head.target);
  const isBodyKept = body === raw.body;
  const signedString = redaction.text(head.signedString ?? '');
  // It contains the query and, by mistake, the body.
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
  const acts = raw.acts && JSON.stringify(redaction.value(JSON.parse(raw.acts)));
  return { ...columnsOf(redacted), head: JSON.stringify(redacted), body, response, acts };
}

function redactBody(
  text: string,
  { target, body: kept }: EntryHead,
  redaction: Redaction,
): KeptBody & { text: string } {
  if (text === '') return { ...kept, text };
  const bytes = Buffer.from(text, kept.encoding);
  const plain = kept.encoding === 'utf8' ? text : bytes.toString('latin1');
  const redacted = redaction.body(plain, target);
  if (redacted === plain && kept.altered === null) return { ...kept, text };
  const buffer =
    redacted === undefined
      ? omitted(bytes)
      : Buffer.from(redacted, kept.encoding === 'utf8' ? 'utf8' : 'latin1');
  return {
    ...kept,
    altered: kept.altered ?? 'redacted',
    text: (kept.altered === 'truncated' ? beginningOf(buffer) : buffer).toString(kept.encoding),
  };
}

function redactResponse(
  text: string,
  { api }: EntryHead,
  redaction: Redaction,
): KeptBody & { text: string } {
  const whole = Buffer.from(text);
  const isTruncated = whole.length > KEPT_BODY_BYTES;
  const shown = isTruncated ? whole.subarray(0, KEPT_BODY_BYTES + BEYOND_KEPT).toString() : text;
  // Only the control API responds with fields that are secrets.
  const redacted = api === 'control' ? redaction.response(shown) : redaction.text(shown);
  const kept =
    redacted === undefined
      ? omitted(whole).toString()
      : beginningOf(Buffer.from(redacted)).toString();
  return {
    ...keptWhole(text),
    altered: isTruncated ? 'truncated' : kept === text ? null : 'redacted',
    ...(isTruncated && { sha256: sha256Hex(whole) }),
    text: kept,
  };
}

import { sha256Hex } from '../signing/signature.ts';
import { beginningOf } from './keep-body.ts';
import { type EntryHead, headerPairs, keptWhole, type RawEntry } from './log-entry.ts';
import type { KeptBody } from './message.ts';
import { type Redaction, secretSetBy } from './redact.ts';
import { hideAfterMention, mentionsSecret } from './secret-fields.ts';

/** In characters; a longer text may have been truncated, or may have to be. */
const SURELY_WHOLE = 8_000;

export interface RedactedEntry {
  entry: RawEntry;
  /** Whether the request or its response contains a known secret, as far as a first look tells. */
  mayHaveSecret: boolean;
}

/** Takes the secrets out of an entry, and keeps only the beginning of a long response. */
export function redactEntry(raw: RawEntry, known: Redaction): RedactedEntry {
  learnSecret(raw, known);
  // A quote ends a value, as it does in JSON.
  const texts = `${raw.head}"${raw.headers}"${raw.body}"${raw.response}`;
  const isWhole = raw.body.length < SURELY_WHOLE && raw.response.length < SURELY_WHOLE;
  const redaction = isWhole ? known.of(texts) : known;
  const isClean = isWhole && redaction.isIdle && !mentionsSecret(texts) && !isSpecial(raw);
  const headers = JSON.stringify(redaction.headers(headerPairs(raw.headers)).flat());
  return {
    entry: isClean ? { ...raw, headers } : { ...redactParts(raw, known), headers },
    mayHaveSecret: !redaction.isIdle,
  };
}

/** Remembers a secret that was set: when later entries are written, another may have taken its place. */
function learnSecret(raw: RawEntry, known: Redaction): void {
  if (!isSpecial(raw) || !mentionsSecret(raw.body)) return;
  const { target, status } = JSON.parse(raw.head) as EntryHead;
  const secret = status !== null && status < 300 ? secretSetBy(target, raw.body) : undefined;
  if (secret !== undefined) known.learn(secret);
}

/** Returns the known secrets in the target, the headers and the body of a request. */
export function secretsOfRequest(raw: RawEntry, known: Redaction): string[] {
  const { target, body } = JSON.parse(raw.head) as EntryHead;
  const plain =
    body.encoding === 'utf8' ? raw.body : Buffer.from(raw.body, body.encoding).toString('latin1');
  return [target, raw.headers, plain].flatMap((text) => known.secretsIn(text));
}

/** Whether a body may hold secrets that do not look like any: binary data, a form, a registration. */
function isSpecial({ head, body }: RawEntry): boolean {
  return body !== '' && (!/^\s*[[{]/.test(body) || /webhooks|credentials/.test(head));
}

function redactParts(raw: RawEntry, redaction: Redaction): Omit<RawEntry, 'headers'> {
  const head = JSON.parse(raw.head) as EntryHead;
  const { encoding } = head.body;
  const body = redactBody(raw.body, head, redaction);
  const isBodyKept = body === raw.body;
  const { text: response, ...kept } = redactResponse(raw.response, head, redaction);
  const target = redaction.target(head.target);
  const isWhole = isBodyKept && target === head.target;
  const signedString = isWhole
    ? redaction.text(head.signedString ?? '')
    : withoutFields(raw.body, body, head, redaction);
  const redacted: EntryHead = {
    ...head,
    method: redaction.text(head.method),
    keyId: head.keyId && redaction.text(head.keyId),
    target,
    body: isBodyKept ? head.body : { ...head.body, altered: head.body.altered ?? 'redacted' },
    bodySha256:
      isBodyKept || head.bodySha256 ? head.bodySha256 : sha256Hex(Buffer.from(raw.body, encoding)),
    responseHeaders: head.responseHeaders.map(([name, value]) => [name, redaction.text(value)]),
    response: kept.altered === null ? null : kept,
    steps: redaction.value(head.steps) as EntryHead['steps'],
    signedString: signedString || null,
  };
  return { head: JSON.stringify(redacted), body, response };
}

/** Hides secret fields in the string that was signed, which may contain the query and, by mistake, the body. */
function withoutFields(
  body: string,
  kept: string,
  { signedString, body: { encoding } }: EntryHead,
  redaction: Redaction,
): string | null {
  if (signedString === null || encoding !== 'utf8') return null;
  const whole = body === '' ? signedString : signedString.replaceAll(body, () => kept);
  return hideAfterMention(redaction.text(whole));
}

function redactBody(
  text: string,
  { target, body: { encoding, altered } }: EntryHead,
  redaction: Redaction,
): string {
  if (text === '') return text;
  const plain = encoding === 'utf8' ? text : Buffer.from(text, encoding).toString('latin1');
  const kept = redaction.body(plain, target, altered !== null);
  if (kept === plain) return text;
  return encoding === 'utf8' ? kept : Buffer.from(kept, 'latin1').toString(encoding);
}

function redactResponse(
  text: string,
  { api }: EntryHead,
  redaction: Redaction,
): KeptBody & { text: string } {
  const whole = Buffer.from(text);
  const beginning = beginningOf(whole);
  const isTruncated = beginning.length < whole.length;
  const shown = isTruncated ? beginning.toString() : text;
  // Only the control API responds with fields that are secrets.
  const kept =
    api === 'control' ? redaction.response(shown, isTruncated) : redaction.text(shown, isTruncated);
  const altered = isTruncated ? 'truncated' : kept === text ? null : 'redacted';
  return {
    ...keptWhole(text),
    altered,
    ...(isTruncated && { sha256: sha256Hex(whole) }),
    text: kept,
  };
}

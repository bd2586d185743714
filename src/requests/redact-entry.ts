import type { KnownSecrets } from '../redaction/known-secrets.ts';
import {
  redactBody,
  redactFields,
  redactHeaders,
  redactTarget,
} from '../redaction/redact-parts.ts';
import { sha256Hex } from '../signing/signature.ts';
import { beginningOf, MAX_BODY } from './keep-body.ts';
import { type EntryHead, faultOf, keptWhole, type RawEntry } from './log-entry.ts';
import type { RequestRow } from './log-file.ts';
import type { KeptBody } from './message.ts';

/** Makes the row of an entry, without secrets and with only the beginning of a long response. */
export function redactEntry(
  raw: RawEntry,
  secrets: KnownSecrets,
  isCredentialSecret: (secret: string) => boolean,
): Omit<RequestRow, 'seq' | 'world'> {
  const { columns, requestId = null } = raw;
  const { text: body, ...keptBody } = redactRequestBody(raw, secrets);
  const { text: response, ...keptResponse } = redactResponse(raw, secrets);
  const head: EntryHead = {
    ...raw.head,
    body: keptBody,
    bodySha256:
      raw.head.bodySha256 ??
      (body === raw.body ? null : sha256Hex(Buffer.from(raw.body, raw.head.body.encoding))),
    response: keptResponse.altered === null ? null : keptResponse,
    // A client may have signed its query, or by mistake its body.
    signedString: raw.head.signedString && redactFields(raw.head.signedString),
    ...(secretsSent(raw, secrets).some(isCredentialSecret) && { sentSecret: true }),
  };
  return {
    ...columns,
    method: secrets.redact(columns.method),
    keyId: columns.keyId && secrets.redact(columns.keyId),
    target: redactTarget(columns.target, secrets),
    fault: faultOf(raw.head),
    requestId,
    runs: JSON.stringify(raw.runs),
    head: secrets.redact(JSON.stringify(head)),
    headers: JSON.stringify(redactHeaders(raw.headers, secrets)),
    size: Buffer.byteLength(body) + Buffer.byteLength(response),
    body,
    response,
  };
}

function secretsSent({ columns, head, headers, body }: RawEntry, secrets: KnownSecrets): string[] {
  return secrets.in(`${columns.target} ${headers.join(' ')} ${plainBody(body, head.body)}`);
}

/** Binary data as text that can be searched. */
function plainBody(body: string, { encoding }: KeptBody): string {
  return encoding === 'utf8' ? body : Buffer.from(body, encoding).toString('latin1');
}

function redactRequestBody(
  { columns: { target }, head: { body: kept }, body }: RawEntry,
  secrets: KnownSecrets,
): KeptBody & { text: string } {
  const plain = plainBody(body, kept);
  const redacted = redactBody(plain, target, secrets);
  if (redacted === plain) return { ...kept, text: body };
  const text =
    kept.encoding === 'utf8' ? redacted : Buffer.from(redacted, 'latin1').toString('base64');
  return { ...kept, altered: kept.altered ?? 'redacted', text };
}

function redactResponse(
  { columns: { target }, response }: RawEntry,
  secrets: KnownSecrets,
): KeptBody & { text: string } {
  const redacted = redactBody(response, target, secrets);
  const whole = Buffer.from(redacted);
  const isTruncated = whole.length > MAX_BODY;
  return {
    ...keptWhole(response),
    altered: isTruncated ? 'truncated' : redacted === response ? null : 'redacted',
    ...(isTruncated && { sha256: sha256Hex(Buffer.from(response)) }),
    text: isTruncated ? beginningOf(whole).toString() : redacted,
  };
}

import type { KnownSecrets } from '../redaction/known-secrets.ts';
import {
  redactBody,
  redactFields,
  redactHeaders,
  redactTarget,
} from '../redaction/redact-parts.ts';
import { sha256Hex } from '../signing/signature.ts';
import { beginningOf } from './keep-body.ts';
import { type EntryHead, faultOf, type RawEntry } from './log-entry.ts';
import type { RequestRow } from './log-file.ts';
import type { Message } from './message.ts';

/** Makes the row of an entry, without secrets and with only the beginning of long bodies. */
export function redactEntry(
  raw: RawEntry,
  secrets: KnownSecrets,
  isCredentialSecret: (secret: string) => boolean,
): Omit<RequestRow, 'seq' | 'world'> {
  const { request, response, requestId = null, steps, runs, ...rest } = raw;
  const { bodyRejection, startedMs, environment, signedString, bodySha256, ...columns } = rest;
  const { text: body, ...keptRequest } = redactMessage(request, raw.target, secrets);
  const { text: responseBody, ...keptResponse } = redactMessage(response, raw.target, secrets);
  const isAsSent = body === (request.body ?? '');
  const sent = [raw.target, ...request.headers.flat(), plainBody(request)].join(' ');
  const head: EntryHead = {
    bodyRejection,
    startedMs,
    environment,
    bodySha256: bodySha256 ?? (isAsSent ? null : sha256Hex(bytesOf(request))),
    // A client may have signed its query, or by mistake its body.
    signedString: signedString && redactFields(signedString),
    ...(secrets.in(sent).some(isCredentialSecret) && { sentSecret: true }),
    runs,
    request: { ...keptRequest, headers: redactHeaders(request.headers, secrets) },
    response: keptResponse,
    // Last, because a filter looks for an event from here on.
    steps,
  };
  return {
    ...columns,
    method: secrets.redact(columns.method),
    keyId: columns.keyId && secrets.redact(columns.keyId),
    target: redactTarget(columns.target, secrets),
    fault: faultOf(raw),
    requestId,
    run: runs.at(-1)?.n ?? null,
    size: Buffer.byteLength(body) + Buffer.byteLength(responseBody),
    head: secrets.redact(JSON.stringify(head)),
    body,
    response: responseBody,
  };
}

function bytesOf({ body, encoding }: Message): Buffer {
  return Buffer.from(body ?? '', encoding);
}

/** The body as text that can be searched, also if it is binary. */
function plainBody(message: Message): string {
  return message.encoding === 'utf8' ? (message.body ?? '') : bytesOf(message).toString('latin1');
}

function redactMessage(
  message: Message,
  target: string,
  secrets: KnownSecrets,
): Omit<Message, 'body'> & { text: string } {
  const { body, ...kept } = message;
  const plain = plainBody(message);
  const redacted = redactBody(plain, target, secrets);
  const whole = Buffer.from(redacted, kept.encoding === 'utf8' ? 'utf8' : 'latin1');
  const beginning = beginningOf(whole);
  const isCut = beginning.length < whole.length;
  if (redacted === plain && !isCut) return { ...kept, text: body ?? '' };
  const altered = isCut ? 'truncated' : (kept.altered ?? 'redacted');
  return { ...kept, altered, text: beginning.toString(kept.encoding) };
}

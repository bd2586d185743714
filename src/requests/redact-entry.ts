import { isUtf8 } from 'node:buffer';
import {
  type KnownTexts,
  redactBody,
  redactFields,
  redactHeaders,
  redactTarget,
} from '../redaction/redact.ts';
import { sha256Hex } from '../signing/signature.ts';
import type { Head, RawEntry } from './log-entry.ts';
import type { RequestRow } from './log-file.ts';
import type { Message } from './message.ts';

/** The log keeps the beginning of longer bodies. */
export const MAX_BODY = 64 * 1024;
/** The limit for the body of a request that anybody can send. */
export const MAX_UNSIGNED_BODY = 4 * 1024;

/** In bytes: 255 characters, each as an escape of JSON (`\u002b`). */
const LONGEST_SECRET = 6 * 255;
/** How much more of a body is redacted than is kept: at least `LONGEST_SECRET`, so that no secret is cut before. */
export const BODY_MARGIN = 4_096;

/** Returns at most `limit` bytes of a body, without a partial character at the end of a text. */
export function beginningOf(body: Buffer, limit: number): Buffer {
  if (body.length <= limit) return body;
  for (let end = limit; end > limit - 4; end -= 1) {
    if (isUtf8(body.subarray(0, end))) return body.subarray(0, end);
  }
  return body.subarray(0, limit);
}

/** Makes the row of an entry, without secrets and with only the beginning of long bodies. */
export function redactEntry(
  raw: RawEntry,
  secrets: KnownTexts,
  isCredentialSecret: (secret: string) => boolean,
): Omit<RequestRow, 'seq' | 'world' | 'start'> {
  const redact = (text: string) => redactBody(text, raw.target, secrets);
  // The text of a page has no fields.
  const redactResponse = raw.api === 'page' ? (text: string) => secrets.redact(text) : redact;
  const { text: body, ...request } = redactMessage(raw.request, redact, raw.maxBody);
  const { text: responseBody, ...response } = redactMessage(raw.response, redactResponse);
  const isAsSent = body === (raw.request.body ?? '');
  const sent = [raw.target, ...raw.request.headers.flat(), plainBody(raw.request)].join(' ');
  const head: Head = {
    bodyRejection: raw.bodyRejection,
    startedMs: raw.startedMs,
    environment: raw.environment,
    bodySha256: raw.bodySha256 ?? (isAsSent ? null : sha256Hex(bytesOf(raw.request))),
    // A client may have signed its query, or by mistake its body.
    signedString: raw.signedString && redactFields(raw.signedString),
    runs: raw.runs,
    sentSecret: secrets.in(sent).some(isCredentialSecret),
    request: { ...request, headers: redactHeaders(raw.request.headers, secrets) },
    response,
    // Last, because `hasStep` finds an id in all that follows the first event.
    steps: raw.steps,
  };
  return {
    size: Buffer.byteLength(body) + Buffer.byteLength(responseBody),
    requestId: raw.requestId ?? null,
    api: raw.api,
    at: raw.at,
    receivedAt: raw.receivedAt,
    durationUs: raw.durationUs,
    keyId: raw.keyId && secrets.redact(raw.keyId),
    partnerId: raw.partnerId,
    method: secrets.redact(raw.method),
    target: redactTarget(raw.target, secrets),
    endpoint: raw.endpoint,
    status: raw.status,
    code: raw.code,
    run: raw.runs.at(-1)?.n ?? null,
    // Also removes known secrets from headers.
    head: secrets.redact(JSON.stringify(head)),
    body,
    responseBody,
  };
}

function bytesOf({ body, encoding }: Message): Buffer {
  return Buffer.from(body ?? '', encoding);
}

/** The body as text that can be searched; of a binary body, each byte is a character. */
function plainBody(message: Message): string {
  return message.encoding === 'utf8' ? (message.body ?? '') : bytesOf(message).toString('latin1');
}

function redactMessage(
  message: Message,
  redact: (text: string) => string,
  maxBody = MAX_BODY,
): Omit<Message, 'body'> & { text: string } {
  const { body, ...rest } = message;
  const plain = plainBody(message);
  const redacted = redact(plain);
  if (redacted === plain && rest.bytes <= maxBody) return { ...rest, text: body ?? '' };
  const encoding = rest.encoding === 'utf8' ? 'utf8' : 'latin1';
  const bytes = Buffer.from(redacted, encoding);
  // A body that was cut may end within a secret. Where redaction has shortened it, that end would be kept.
  const isCut = redacted !== plain && Buffer.byteLength(plain, encoding) > maxBody + LONGEST_SECRET;
  const end = isCut ? Math.max(0, bytes.length - LONGEST_SECRET) : bytes.length;
  const beginning = beginningOf(bytes, Math.min(maxBody, end));
  const isTruncated = beginning.length < bytes.length;
  const altered = isTruncated ? 'truncated' : (rest.altered ?? 'redacted');
  return { ...rest, altered, text: beginning.toString(rest.encoding) };
}

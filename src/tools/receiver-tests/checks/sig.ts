import { createHash, createHmac } from 'node:crypto';
import { signWebhook, wronglySignWebhook } from '../../../signing/webhook.ts';
import type { Check } from '../check.ts';
import { compact, pretty, type WebhookEvent, withFields } from '../delivery.ts';
import { type Advice, forged } from './define.ts';

/** A secret that the receiver does not have. */
const OTHER_SECRET = 'whsec_of_somebody_else';
const DIGITS = 64;

const PRESENT: Advice = {
  meaning: 'The receiver verifies only if a signature is present.',
  fix: 'Reject a missing signature.',
};
const RESULT: Advice = {
  meaning: 'The receiver does not verify, or ignores the result.',
  fix: 'Respond 401 if verification fails.',
};
const LENGTH: Advice = {
  meaning: 'The receiver compares only the digits received (startsWith).',
  fix: 'Compare the length first.',
};
const DIGITS_ONLY: Advice = {
  meaning: 'The receiver decodes the signature and ignores what is not a hex digit, or an error.',
  fix: 'Compare the hex texts as bytes. Reject if verification throws.',
};
const THIS_BODY: Advice = {
  meaning: 'The receiver does not verify this body.',
  fix: 'Compute the HMAC of each body as received.',
};
const KEY: Advice = {
  meaning: 'The secret of the receiver is not set, or it uses a digest instead of an HMAC.',
  fix: 'Fail at startup without a secret. Use HMAC-SHA256.',
};
const RAW: Advice = {
  meaning: 'The receiver verifies re-serialized JSON, or trims the body.',
  fix: 'Verify the raw body.',
};
const MEDIA_TYPE: Advice = {
  meaning: 'The receiver verifies only bodies that its JSON parser took.',
  fix: 'Verify before looking at the media type.',
};
const PARSER: Advice = {
  meaning: 'The receiver parses the body before it verifies it.',
  fix: 'Verify first. Catch errors of the parser.',
};
const HEX: Advice = {
  meaning: 'Safe, because it cannot be forged, but not as specified.',
  fix: 'Accept only lowercase hex.',
};
const HEADERS: Advice = {
  meaning: 'Proxies differ in which of two headers counts.',
  fix: 'Reject two headers.',
};

export const SIG: readonly Check[] = [
  forged('sig.missing', 'must', 'no signature header', PRESENT, () => ({ signatures: [] })),
  forged('sig.empty', 'must', 'an empty signature header', PRESENT, () => ({ signatures: [''] })),
  forged('sig.wrong_secret', 'must', 'signed with another secret', RESULT, ({ body }) => ({
    signatures: [signWebhook(OTHER_SECRET, body)],
  })),
  forged('sig.last_digit', 'must', 'last hex digit changed', RESULT, ({ secret, body }) => ({
    signatures: [wronglySignWebhook(secret, body)],
  })),
  forged(
    'sig.prefix',
    'must',
    'first 8 digits of the valid signature',
    LENGTH,
    ({ signature }) => ({ signatures: [signature.slice(0, 8)] }),
  ),
  forged('sig.not_hex', 'must', '64 letters that are not hex digits', DIGITS_ONLY, () => ({
    signatures: ['z'.repeat(DIGITS)],
  })),
  forged('sig.not_ascii', 'must', '64 bytes that are not ASCII', DIGITS_ONLY, () => ({
    signatures: ['é'.repeat(DIGITS)],
  })),
  forged(
    'sig.other_event',
    'must',
    'valid signature of another event',
    THIS_BODY,
    ({ secret, other }) => ({ signatures: [signWebhook(secret, compact(other()))] }),
  ),
  forged(
    'sig.tampered',
    'must',
    'price raised by 1 cent, old signature',
    THIS_BODY,
    ({ event, signature }) => ({ body: compact(raisePrice(event)), signatures: [signature] }),
  ),
  forged(
    'sig.truncated',
    'must',
    'signed with a newline at the end, sent without it',
    THIS_BODY,
    ({ secret, body }) => ({ signatures: [signWebhook(secret, `${body}\n`)] }),
  ),
  forged('sig.empty_key', 'must', 'signed with an empty key', KEY, ({ body }) => ({
    signatures: [createHmac('sha256', '').update(body).digest('hex')],
  })),
  forged('sig.no_key', 'must', 'plain SHA-256 of the body', KEY, ({ body }) => ({
    signatures: [createHash('sha256').update(body).digest('hex')],
  })),
  forged(
    'sig.reserialized',
    'must',
    'body of body.pretty, signature of its compact form',
    RAW,
    ({ event, signature }) => ({ body: pretty(event), signatures: [signature] }),
  ),
  forged(
    'sig.appended',
    'must',
    'one extra newline, old signature',
    RAW,
    ({ body, signature }) => ({ body: `${body}\n`, signatures: [signature] }),
  ),
  forged(
    'sig.content_type',
    'must',
    'a wrong signature with Content-Type: text/plain',
    MEDIA_TYPE,
    ({ secret, body }) => ({
      contentType: 'text/plain',
      signatures: [wronglySignWebhook(secret, body)],
    }),
  ),
  forged(
    'sig.not_json',
    'must',
    'half of the body, which is not JSON, with a wrong signature',
    PARSER,
    ({ secret, body }) => {
      const half = body.slice(0, body.length / 2);
      return { body: half, signatures: [wronglySignWebhook(secret, half)] };
    },
  ),
  forged('sig.upper', 'advice', 'valid HMAC in uppercase', HEX, ({ signature }) => ({
    signatures: [signature.toUpperCase()],
  })),
  forged(
    'sig.prefixed',
    'advice',
    'valid HMAC with v1=, which only requests use',
    HEX,
    ({ signature }) => ({ signatures: [`v1=${signature}`] }),
  ),
  forged('sig.suffixed', 'advice', 'valid HMAC with zz at the end', HEX, ({ signature }) => ({
    signatures: [`${signature}zz`],
  })),
  forged('sig.base64', 'advice', 'valid HMAC in base64', HEX, ({ signature }) => ({
    signatures: [Buffer.from(signature, 'hex').toString('base64')],
  })),
  forged(
    'sig.two_headers',
    'advice',
    'two signature headers, the invalid one first',
    HEADERS,
    ({ secret, body, signature }) => ({
      signatures: [wronglySignWebhook(secret, body), signature],
    }),
  ),
];

function raisePrice(event: WebhookEvent): WebhookEvent {
  const { order, case: brokerageCase } = event.data;
  const name = order ? 'sale_price_cents' : 'deal_price_cents';
  const price = (order ?? brokerageCase)?.[name];
  return withFields(event, { [name]: typeof price === 'number' ? price + 1 : 1 });
}

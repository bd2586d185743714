import { createHash, createHmac } from 'node:crypto';
import { signWebhook, wronglySignWebhook } from '../../../signing/signature.ts';
import { type ForgeryGroup, forgeryChecks, type ReceiverCheck } from '../check.ts';
import { compact, pretty, type WebhookEvent, withFields } from '../source.ts';

/** A secret that the receiver does not have. */
const OTHER_SECRET = 'whsec_of_somebody_else';
/** Hex digits of an HMAC-SHA256. */
const SIGNATURE_DIGITS = 64;

/** Each check says in words what is sent, and returns the signature headers of the delivery or other changes to it. */
const FORGERIES: readonly ForgeryGroup[] = [
  {
    meaning: 'The receiver verifies only if a signature is present.',
    fix: 'Reject a missing signature.',
    checks: {
      'sig.missing': ['no signature header', () => []],
      'sig.empty': ['an empty signature header', () => ['']],
    },
  },
  {
    meaning: 'The receiver does not verify, or ignores the result.',
    fix: 'Respond 401 if verification fails.',
    checks: {
      'sig.wrong_secret': [
        'signed with another secret',
        ({ body }) => [signWebhook(OTHER_SECRET, body)],
      ],
      'sig.last_digit': ['last hex digit changed', ({ wrongSignature }) => [wrongSignature]],
    },
  },
  {
    meaning: 'The receiver compares only the digits received (startsWith).',
    fix: 'Compare the length first.',
    checks: {
      'sig.prefix': [
        'first 8 digits of the valid signature',
        ({ signature }) => [signature.slice(0, 8)],
      ],
    },
  },
  {
    meaning: 'The receiver decodes the signature and ignores what is not a hex digit, or an error.',
    fix: 'Compare the hex texts as bytes. Reject if verification throws.',
    checks: {
      'sig.not_hex': ['64 letters that are not hex digits', () => ['z'.repeat(SIGNATURE_DIGITS)]],
      'sig.not_ascii': ['64 bytes that are not ASCII', () => ['é'.repeat(SIGNATURE_DIGITS)]],
    },
  },
  {
    meaning: 'The receiver does not verify this body.',
    fix: 'Compute the HMAC of each body as received.',
    checks: {
      'sig.other_event': [
        'valid signature of another event',
        ({ source }) => [signWebhook(source.secret, compact(source.newEvent()))],
      ],
      'sig.tampered': [
        'price raised by 1 cent, old signature',
        ({ event, signature }) => ({ body: compact(raisePrice(event)), signatures: [signature] }),
      ],
      'sig.truncated': [
        'signed with a newline at the end, sent without it',
        ({ source, body }) => [signWebhook(source.secret, `${body}\n`)],
      ],
    },
  },
  {
    meaning: 'The secret of the receiver is not set, or it uses a digest instead of an HMAC.',
    fix: 'Fail at startup without a secret. Use HMAC-SHA256.',
    checks: {
      'sig.empty_key': [
        'signed with an empty key',
        ({ body }) => [createHmac('sha256', '').update(body).digest('hex')],
      ],
      'sig.no_key': [
        'plain SHA-256 of the body',
        ({ body }) => [createHash('sha256').update(body).digest('hex')],
      ],
    },
  },
  {
    meaning: 'The receiver verifies re-serialized JSON, or trims the body.',
    fix: 'Verify the raw body.',
    checks: {
      'sig.reserialized': [
        'body of body.pretty, signature of its compact form',
        ({ event, signature }) => ({ body: pretty(event), signatures: [signature] }),
      ],
      'sig.appended': [
        'one extra newline, old signature',
        ({ body, signature }) => ({ body: `${body}\n`, signatures: [signature] }),
      ],
    },
  },
  {
    meaning: 'The receiver verifies only bodies that its JSON parser took.',
    fix: 'Verify before looking at the media type.',
    checks: {
      'sig.content_type': [
        'a wrong signature with Content-Type: text/plain',
        ({ wrongSignature }) => ({ contentType: 'text/plain', signatures: [wrongSignature] }),
      ],
    },
  },
  {
    meaning: 'The receiver parses the body before it verifies it.',
    fix: 'Verify first. Catch errors of the parser.',
    checks: {
      'sig.not_json': [
        'half of the body, which is not JSON, with a wrong signature',
        ({ source, body }) => {
          const half = body.slice(0, body.length / 2);
          return { body: half, signatures: [wronglySignWebhook(source.secret, half)] };
        },
      ],
    },
  },
  {
    meaning: 'Safe, because it cannot be forged, but not as specified.',
    fix: 'Accept only lowercase hex.',
    level: 'advice',
    checks: {
      'sig.upper': ['valid HMAC in uppercase', ({ signature }) => [signature.toUpperCase()]],
      'sig.prefixed': [
        'valid HMAC with v1=, which only requests use',
        ({ signature }) => [`v1=${signature}`],
      ],
      'sig.suffixed': ['valid HMAC with zz at the end', ({ signature }) => [`${signature}zz`]],
      'sig.base64': [
        'valid HMAC in base64',
        ({ signature }) => [Buffer.from(signature, 'hex').toString('base64')],
      ],
    },
  },
  {
    meaning: 'Proxies differ in which of two headers counts.',
    fix: 'Reject two headers.',
    level: 'advice',
    checks: {
      'sig.two_headers': [
        'two signature headers, the invalid one first',
        ({ wrongSignature, signature }) => [wrongSignature, signature],
      ],
    },
  },
];

export const SIGNATURE_CHECKS: readonly ReceiverCheck[] = FORGERIES.flatMap(forgeryChecks);

function raisePrice(event: WebhookEvent): WebhookEvent {
  const { order, case: brokerageCase } = event.data;
  const name = order ? 'sale_price_cents' : 'deal_price_cents';
  const price = (order ?? brokerageCase)?.[name];
  return withFields(event, { [name]: typeof price === 'number' ? price + 1 : 1 });
}

import { createHash, createHmac } from 'node:crypto';
import { signWebhook, wronglySignWebhook } from '../../signing/webhook.ts';
import type { Check } from '../check.ts';
import {
  compact,
  type DeliveryChanges,
  delivery,
  newEvent,
  pretty,
  type WebhookEvent,
  withFields,
} from '../delivery.ts';

/** The secret of nobody: a forger signs with it. */
const OTHER_SECRET = 'whsec_of_somebody_else';

/** What a check needs of its event: the secret, the compact body and the valid signature of it. */
interface Forged {
  secret: string;
  body: string;
  signature: string;
  event: WebhookEvent;
  /** Another event of the same order. */
  other(): WebhookEvent;
}

const PRESENT: Texts = {
  meaning: 'The receiver verifies only if a signature is present.',
  fix: 'Reject a missing signature.',
};
const RESULT: Texts = {
  meaning: 'The receiver does not verify, or ignores the result.',
  fix: 'Respond 401 if verification fails.',
};
const THIS_BODY: Texts = {
  meaning: 'The receiver does not verify this body.',
  fix: 'Compute the HMAC of each body as received.',
};
const KEY: Texts = {
  meaning: 'The secret of the receiver is not set, or it uses a digest instead of an HMAC.',
  fix: 'Fail at startup without a secret. Use HMAC-SHA256.',
};
const RAW: Texts = {
  meaning: 'The receiver verifies re-serialized JSON, or trims the body.',
  fix: 'Verify the raw body.',
};
const HEX: Texts = {
  meaning: 'Safe, because it cannot be forged, but not as specified.',
  fix: 'Accept only lowercase hex.',
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
    {
      meaning: 'The receiver compares only the digits received (startsWith).',
      fix: 'Compare the length first.',
    },
    ({ signature }) => ({ signatures: [signature.slice(0, 8)] }),
  ),
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
    {
      meaning: 'The receiver verifies only bodies that its JSON parser took.',
      fix: 'Verify before looking at the media type.',
    },
    ({ secret, body }) => ({
      contentType: 'text/plain',
      signatures: [wronglySignWebhook(secret, body)],
    }),
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
  forged('sig.base64', 'advice', 'valid HMAC in base64', HEX, ({ signature }) => ({
    signatures: [Buffer.from(signature, 'hex').toString('base64')],
  })),
  forged(
    'sig.two_headers',
    'advice',
    'two signature headers, the invalid one first',
    {
      meaning: 'Proxies differ in which of two headers counts.',
      fix: 'Reject two headers.',
    },
    ({ secret, body, signature }) => ({
      signatures: [wronglySignWebhook(secret, body), signature],
    }),
  ),
];

interface Texts {
  meaning: string;
  fix: string;
}

function forged(
  id: string,
  level: Check['level'],
  sent: string,
  { meaning, fix }: Texts,
  changes: (forged: Forged) => DeliveryChanges,
): Check {
  return {
    id,
    level,
    sent,
    expected: { response: 'rejected', effect: 'none' },
    procedure: 'in_turn',
    meaning,
    fix,
    build: (source) => {
      const { secret } = source;
      const event = newEvent(source);
      const body = compact(event);
      const signature = signWebhook(secret, body);
      const other = () => newEvent(source);
      return [
        delivery(source, event, {
          ...changes({ secret, body, signature, event, other }),
          forged: true,
        }),
      ];
    },
  };
}

function raisePrice(event: WebhookEvent): WebhookEvent {
  const { order, case: brokerageCase } = event.data;
  const name = order ? 'sale_price_cents' : 'deal_price_cents';
  const price = (order ?? brokerageCase)?.[name];
  return withFields(event, { [name]: typeof price === 'number' ? price + 1 : 1 });
}

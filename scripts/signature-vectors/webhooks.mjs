// Webhook deliveries: the lower-case hex HMAC-SHA256 of the raw body, no canonical string, no v1=.
import { createHmac } from 'node:crypto';
import { hmac } from './reference.mjs';

const SECRET = 'whs_not_a_secret';
const body =
  '{"id":"evt_0000001aaaaaaaaa","type":"order.recorded","created_at":"2026-01-01T00:00:00.000Z","partner_id":"ptr_local","data":{"order":{"public_id":"ord_0000001aaaaaaaaa","domain":"lantern-harbor.com","status":"EXTERNALLY_PAID","sale_price_cents":149900,"currency":"USD"}}}';
const spaced = JSON.stringify(JSON.parse(body), null, 2);
const unicode = '{"id":"evt_2","type":"order.refunded","data":{"note":"Zoë 💡 \\u00e9"}}';

const valid = (name, description, raw, secret = SECRET) => ({
  name,
  description,
  secret,
  body: raw,
  signature: hmac(secret, raw),
  valid: true,
});
const invalid = (name, description, raw, signature, secret = SECRET) => ({
  name,
  description,
  secret,
  body: raw,
  signature,
  valid: false,
});

const right = hmac(SECRET, body);

export const WEBHOOKS = [
  valid('order-recorded', 'A delivery as it is sent.', body),
  valid(
    'white-space-kept',
    'The same event with white space has another signature.',
    `${spaced}\n`,
  ),
  valid('unicode', 'Text beyond ASCII, raw and escaped.', unicode),
  valid('unicode-secret', 'The secret is UTF-8 text.', body, 'clé-☃-not-a-secret'),
  valid('long-secret', 'A secret of more than 64 bytes.', body, 'not_a_secret_'.repeat(8)),
  valid('empty-body', 'No body at all; none is ever sent, but the function is defined.', ''),
  invalid('v1-prefixed', 'v1= belongs to requests.', body, `v1=${right}`),
  invalid('upper-case', 'Upper-case hex.', body, right.toUpperCase()),
  invalid('base64', 'Base64.', body, createHmac('sha256', SECRET).update(body).digest('base64')),
  invalid(
    're-serialized',
    'Signature of the same JSON in another spelling.',
    body,
    hmac(SECRET, spaced),
  ),
  invalid(
    'other-secret',
    'Signed with another secret.',
    body,
    hmac('whs_other_not_a_secret', body),
  ),
  invalid(
    'tampered',
    'One byte of the body changed after signing.',
    body.replace('149900', '149901'),
    right,
  ),
  invalid('trailing-newline', 'A newline added to the body.', `${body}\n`, right),
  invalid('cut-short', 'Half of the digits.', body, right.slice(0, 32)),
  invalid(
    'one-digit-off',
    'The last digit differs.',
    body,
    right.slice(0, -1) + (right.endsWith('0') ? '1' : '0'),
  ),
  invalid('empty-signature', 'An empty header.', body, ''),
];

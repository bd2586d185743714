import type { GROUPS } from '../http/endpoint.ts';
import type { ErrorCode } from '../kernel/errors.ts';

export const PARTNER_DESCRIPTION = `Search listed domains, price and sell them, and reconcile the money. Every request is signed with four headers; the security scheme \`Signature\` says how.

This document describes what sandlot, a local emulator, does. Where the specification is silent the emulator had to choose: such places are marked \`x-emulator-choice: true\`, and a client had better not lean on them.

- Bodies are JSON in UTF-8, with \`Content-Type: application/json\`. Unknown members and query parameters are ignored. At most 1 MiB.
- Money is whole cents in members named \`…_cents\`, beside a \`currency\`. Times are ISO 8601 UTC with milliseconds.
- Lists are newest first and go on with \`cursor\`; /events alone is oldest first and goes on with \`after_id\`.
- HEAD answers as GET does, without the body. An unknown path or method is a 404 \`not_found\`, once the signature is proven.`;

/** What each group of the specification is about. */
export const ABOUT_GROUP: Record<(typeof GROUPS)[number], string> = {
  Discovery: 'Search the inventory; prices and availability.',
  'Partner-collected sales':
    'The partner charges the buyer and records the sale: quote, then order.',
  'Marketplace-collected sales': 'The buyer pays on a hosted page; the partner earns a commission.',
  'Settlement, history, refunds': 'Statements, sales history, payouts, and taking a sale back.',
  Brokerage: 'Acquiring a domain that is not listed, on behalf of a buyer.',
  'Referral and reporting': 'Tracked links, and what came of them. Needs an affiliate account.',
  'Webhooks and events': 'Register a delivery endpoint; read the history of events.',
};

/** What each code means, mostly in the specification's words. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  validation_error: 'Missing or malformed field; the message names it.',
  missing_idempotency_key: 'The Idempotency-Key header is absent.',
  missing_credentials: 'The key id header is absent.',
  missing_signature_headers: 'One of the other authentication headers is absent.',
  invalid_timestamp: 'Not Unix seconds, malformed, or more than 5 minutes off.',
  invalid_signature: 'Wrong secret, wrong canonical string, or body changed after signing.',
  replay_detected: 'The nonce was used already.',
  forbidden:
    'The credential lacks the required scope or an affiliate account, or is LIVE and not approved.',
  not_found: 'There is no such thing, or none that this partner may see.',
  conflict: 'Well formed, but the present state does not allow it.',
  price_mismatch: 'The price does not match the current listing price, or that of the quote.',
  quote_expired: 'The quote is older than its 10-minute window.',
  rate_limited: 'Rate limit exceeded.',
  internal_error: 'Unexpected server error; retry with exponential back-off.',
};

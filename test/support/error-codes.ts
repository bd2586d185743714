/** The codes of the specification, written out again: no test asks the code under test for them. */
export const ERROR_CODES = [
  'validation_error',
  'invalid_signature',
  'missing_credentials',
  'forbidden',
  'not_found',
  'conflict',
  'price_mismatch',
  'quote_expired',
  'rate_limited',
  'internal_error',
  'invalid_timestamp',
  'replay_detected',
  'missing_signature_headers',
  'missing_idempotency_key',
];

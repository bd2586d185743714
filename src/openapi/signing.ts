import type { ErrorCode } from '../kernel/errors.ts';
import { MAX_SKEW_SECONDS } from '../signing/signature.ts';
import type { Scope } from '../store/schema/enums.ts';
import type { Json } from './json-schema.ts';

/** Errors of the checks that run before the endpoint is known: every partner endpoint has them. */
export const AUTHENTICATION_CODES: readonly ErrorCode[] = [
  'missing_credentials',
  'missing_signature_headers',
  'invalid_timestamp',
  'invalid_signature',
  'replay_detected',
];

const SIGNATURE_DESCRIPTION = `v1= followed by the lowercase hex HMAC-SHA256 of the canonical string, keyed with the secret as UTF-8. The canonical string is these six lines, joined by a newline, with none at the end:

1. METHOD: the verb in uppercase.
2. PATH: the path of the request's URL, complete, as sent.
3. QUERY_STRING: the canonical query; empty if there is none.
4. TIMESTAMP: as in its header.
5. NONCE: as in its header.
6. BODY_SHA256_HEX: lowercase hex SHA-256 of the body's bytes exactly as sent; of zero bytes for GET, HEAD and an empty body.

Canonical query: split into pairs (blank values kept), sort by key, then by value, percent-encode both as a URI component and \`! ' ( ) *\` as well, join as key=value with &.

The secret is never sent; sign on your server only.`;

/** The four headers of a signed request (specification, "Request headers"); all are required. */
export const SECURITY_SCHEMES: Record<string, Json> = {
  KeyId: header('X-Service-Key-Id', 'Public key id of the credential.'),
  Timestamp: header(
    'X-Service-Timestamp',
    `Unix time in seconds, as an integer string; at most ${MAX_SKEW_SECONDS} s off.`,
  ),
  Nonce: header(
    'X-Service-Nonce',
    'Unique per request; UUID v4 recommended. 1 to 128 visible ASCII characters. Retries need a new one.',
  ),
  Signature: header('X-Service-Signature', SIGNATURE_DESCRIPTION),
};

/** Requires all four headers, of a credential with any one of the scopes. */
export function securityOf(scopes: readonly Scope[]): Json[] {
  return scopes.map((scope) => ({ KeyId: [scope], Timestamp: [], Nonce: [], Signature: [] }));
}

function header(name: string, description: string): Json {
  return { type: 'apiKey', in: 'header', name, description };
}

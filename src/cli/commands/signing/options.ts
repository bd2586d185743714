import type { CommandCall, None } from '../../command.ts';
import { argument, flag, text, value } from '../../options.ts';
import { assignment, httpMethod, requestPath, requestTarget } from '../../parsers/values.ts';

export const REQUEST = {
  method: argument('<method>', 'GET, HEAD, POST, PUT, PATCH or DELETE', httpMethod),
  path: argument('<path>', 'Path, with its query if there is one', requestTarget),
};

export const REQUEST_OPTIONS = {
  query: value(
    '--query <name=value>',
    'Query parameter to add; repeatable',
    assignment,
  ).repeatable(),
  data: text('--data <json>', 'Body: JSON, @FILE to send a file as it is, or @- for stdin'),
  as: text('--as <key-id>', 'Sign with this credential'),
  idempotencyKey: text('--idempotency-key <key>', 'Send this Idempotency-Key'),
  field: text('--field <path>', 'Print only this field of the response: quote_id, events.0.type'),
  curl: flag('--curl', 'Print a curl command instead of sending'),
};
export type RequestCall = CommandCall<typeof REQUEST, typeof REQUEST_OPTIONS>;

export const SIGN_OPTIONS = {
  data: text('--data <json>', 'Body: JSON, @FILE, or @- for stdin'),
  keyId: text('--key-id <id>', 'Key ID'),
  secret: text('--secret <secret>', 'Secret of the key'),
  timestamp: text('--timestamp <seconds>', 'Unix time in seconds (default: now)'),
  nonce: text('--nonce <nonce>', 'Nonce (default: a new UUID)'),
};
export type SignCall = CommandCall<typeof REQUEST, typeof SIGN_OPTIONS>;

export const VERIFY_OPTIONS = {
  method: value('--method <method>', 'Method of the request', httpMethod).asMandatory(),
  path: value('--path <path>', 'Path and query, as sent', requestPath).asMandatory(),
  timestamp: text('--timestamp <value>', 'X-Service-Timestamp').asMandatory(),
  nonce: text('--nonce <value>', 'X-Service-Nonce').asMandatory(),
  signature: text('--signature <value>', 'X-Service-Signature').asMandatory(),
  data: text('--data <body>', 'Body as sent: text, @FILE, or @- for stdin'),
  keyId: text('--key-id <id>', 'Key ID, to look up its secret'),
  secret: text('--secret <secret>', 'Secret to verify with'),
};
export type VerifyCall = CommandCall<None, typeof VERIFY_OPTIONS>;

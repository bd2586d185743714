/** The 14 error codes of the specification ("Errors"). Neither API sends others. */
export const ERROR_STATUS = {
  validation_error: 400,
  missing_idempotency_key: 400,
  missing_credentials: 401,
  missing_signature_headers: 401,
  invalid_timestamp: 401,
  invalid_signature: 401,
  replay_detected: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  price_mismatch: 422,
  quote_expired: 422,
  rate_limited: 429,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

interface CodedErrorOptions {
  /** A second status of the code: a body over the limit is `validation_error` with 413. */
  status?: number;
  /** Whole seconds, sent as `Retry-After`. */
  retryAfterSeconds?: number;
}

/** A rejection with a code of the specification. `http/` turns it into a response. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: CodedErrorOptions = {}) {
    super(message);
    this.name = 'CodedError';
    this.code = code;
    this.status = options.status ?? ERROR_STATUS[code];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/**
 * Wrong usage: exit code 2. The message names the option, argument or setting, or the file and its line, and says what is
 * expected.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** 400: a missing or malformed field; the message starts with the field's name. */
export function validationError(message: string): CodedError {
  return new CodedError('validation_error', message);
}

/** 404: the resource does not exist, or the caller may not see it. */
export function notFound(message: string): CodedError {
  return new CodedError('not_found', message);
}

/** 404: no endpoint has this method and path. HEAD gets the message of GET, so that both responses have the same length. */
export function unknownEndpoint({ method, path }: { method: string; path: string }): CodedError {
  const verb = method === 'HEAD' ? 'GET' : method;
  const api = path.startsWith('/_sandbox/') ? '?api=control' : '';
  return notFound(`no such endpoint: ${verb} ${path}; /_sandbox/reference${api} lists all`);
}

/** 409: a valid request that the current state does not allow. */
export function conflict(message: string): CodedError {
  return new CodedError('conflict', message);
}

/** 403: the credential is valid, but has no permission. */
export function forbidden(message: string): CodedError {
  return new CodedError('forbidden', message);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

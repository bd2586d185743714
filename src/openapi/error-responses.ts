import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import { CHOICE, type Json } from './json-schema.ts';
import { jsonContent } from './operation.ts';

/** What each code means, in the specification's words. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  validation_error: 'Missing or malformed field; the message names it.',
  missing_idempotency_key: 'The Idempotency-Key header is absent.',
  missing_credentials: 'The key id header is absent.',
  missing_signature_headers: 'One of the other authentication headers is absent.',
  invalid_timestamp: 'Not Unix seconds, malformed, or more than 5 minutes off.',
  invalid_signature: 'Wrong secret, wrong canonical string, or body changed after signing.',
  replay_detected: 'The nonce was used already.',
  forbidden: 'The credential lacks the required scope.',
  not_found: 'There is no such thing, or none that this caller may see.',
  conflict: 'Well formed, but the present state does not allow it.',
  price_mismatch: 'The price does not match the current listing price.',
  quote_expired: 'The quote is older than its 10-minute window.',
  rate_limited: 'Rate limit exceeded.',
  internal_error: 'Unexpected server error; retry with exponential back-off.',
};

/** A body over the limit: the one code with a second status. */
const TOO_LARGE = 413;

const TITLES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'ServerError',
};

/** Shared error answers of a document, each written down when an operation first refers to it. */
export class ErrorResponses {
  readonly responses: Record<string, Json> = {};
  readonly #examples: (code: ErrorCode, status: number) => unknown;

  /** @param examples a real answer of each code */
  constructor(examples: (code: ErrorCode, status: number) => unknown) {
    this.#examples = examples;
  }

  /** Responses by status, for an operation that gives these codes. */
  of(codes: readonly ErrorCode[], { tooLarge }: { tooLarge: boolean }): Json {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of new Set(codes)) {
      const status = ERROR_STATUS[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    if (tooLarge) byStatus.set(TOO_LARGE, ['validation_error']);
    const statuses = [...byStatus].sort(([a], [b]) => a - b);
    return Object.fromEntries(
      statuses.map(([status, each]) => [status, this.#refer(status, each.toSorted())]),
    );
  }

  #refer(status: number, codes: ErrorCode[]): Json {
    const title = TITLES[status] ?? `Status${status}`;
    const every = codesOf(status);
    const name = every.length > codes.length ? `${title}${inCapitals(codes)}` : title;
    this.responses[name] ??= this.#response(status, codes);
    return { $ref: `#/components/responses/${name}` };
  }

  #response(status: number, codes: readonly ErrorCode[]): Json {
    const examples = codes.flatMap((code) => {
      const example = this.#examples(code, status);
      return example !== undefined ? [[code, { value: example }] as const] : [];
    });
    return {
      description: codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join('\n\n'),
      ...((status === TOO_LARGE || codes.some((code) => STATUS_CHOSEN.has(code))) && CHOICE),
      ...(status === ERROR_STATUS.rate_limited && { headers: { 'Retry-After': RETRY_AFTER } }),
      content: jsonContent(errorSchema(codes), Object.fromEntries(examples)),
    };
  }
}

const RETRY_AFTER: Json = {
  description: 'Seconds after which the next request passes.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
};

/** Codes that the specification names without a status. */
const STATUS_CHOSEN: ReadonlySet<ErrorCode> = new Set([
  'invalid_timestamp',
  'replay_detected',
  'missing_signature_headers',
  'missing_idempotency_key',
]);

function codesOf(status: number): string[] {
  return Object.entries(ERROR_STATUS).flatMap(([code, each]) => (each === status ? [code] : []));
}

function inCapitals(codes: readonly ErrorCode[]): string {
  return codes.join('_').replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The envelope with these codes in it. */
function errorSchema(codes: readonly ErrorCode[]): Json {
  return {
    type: 'object',
    description: 'The body of every error.',
    ...CHOICE,
    properties: {
      error: {
        type: 'object',
        properties: {
          code: { type: 'string', enum: codes },
          message: { type: 'string', minLength: 1, description: 'For people.' },
        },
        required: ['code', 'message'],
      },
    },
    required: ['error'],
  };
}

import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import { namedExamples } from './examples.ts';
import { CHOICE, type Json, jsonContent } from './json-schema.ts';

interface ErrorTexts {
  meaning: Partial<Record<ErrorCode, string>>;
  /** By code; that of a body that is too large, by its status. */
  examples: Record<string, unknown>;
  /** Whether to mark what the specification leaves open: some statuses, and the shape of every body. */
  marksChoices: boolean;
}

/** A body over the limit. `validation_error` is the only code with a second status. */
const TOO_LARGE = 413;

type Status = (typeof ERROR_STATUS)[ErrorCode] | typeof TOO_LARGE;

const TITLES: Readonly<Record<Status, string>> = {
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

/** Returns the error responses that operations share: one for each status, by its title. */
export function errorResponses(texts: ErrorTexts): Record<string, Json> {
  const allCodes = Object.keys(texts.meaning) as ErrorCode[];
  const byStatus = Map.groupBy(allCodes, (code): Status => ERROR_STATUS[code]);
  byStatus.set(TOO_LARGE, ['validation_error']);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [TITLES[status], responseOf(texts, status, codes)]),
  );
}

/** Returns references to the responses with these codes, by status. @param takesStream whether bodies have no limit */
export function errorReferences(codes: readonly ErrorCode[], takesStream = false): Json {
  const statuses = new Set<Status>(codes.map((code) => ERROR_STATUS[code]));
  if (!takesStream) statuses.add(TOO_LARGE);
  return Object.fromEntries(
    [...statuses]
      .toSorted((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/${TITLES[status]}` }]),
  );
}

function responseOf(
  { meaning, examples, marksChoices }: ErrorTexts,
  status: number,
  unsortedCodes: readonly ErrorCode[],
): Json {
  const codes = unsortedCodes.toSorted();
  const shown = namedExamples(
    codes.map((code) => [code, examples[status === TOO_LARGE ? status : code]]),
  );
  const isChosenStatus = status === TOO_LARGE || codes.some((code) => STATUS_CHOICES.has(code));
  const choice = marksChoices ? CHOICE : {};
  return {
    description:
      status === TOO_LARGE
        ? '`validation_error`: the body is larger than 1 MiB.'
        : codes.map((code) => `\`${code}\`: ${meaning[code]}`).join('\n\n'),
    ...(isChosenStatus && choice),
    ...(status === ERROR_STATUS.rate_limited && { headers: { 'Retry-After': RETRY_AFTER } }),
    content: jsonContent({ ...errorSchema(codes), ...choice }, shown),
  };
}

const RETRY_AFTER: Json = {
  description: 'Seconds until the next request is accepted.',
  required: true,
  schema: { type: 'integer', minimum: 1 },
};

/** Codes for which the specification names no status. */
const STATUS_CHOICES: ReadonlySet<ErrorCode> = new Set([
  'invalid_timestamp',
  'replay_detected',
  'missing_signature_headers',
  'missing_idempotency_key',
]);

function errorSchema(codes: readonly ErrorCode[]): Json {
  return {
    type: 'object',
    description: 'The body of every error.',
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

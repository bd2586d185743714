import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import { CHOICE, type Json } from './json-schema.ts';
import { jsonContent } from './operation.ts';

/** How a door speaks of its errors. */
export interface ErrorTelling {
  /** What each code means there. */
  meaning: Partial<Record<ErrorCode, string>>;
  /** A real answer of a code. */
  example(code: ErrorCode, status: number): unknown;
  /** Whether what the specification leaves open is marked. */
  tellChoices: boolean;
}

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
  readonly #told: ErrorTelling;

  constructor(told: ErrorTelling) {
    this.#told = told;
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
    const { meaning, example, tellChoices } = this.#told;
    const examples = codes.flatMap((code) => {
      const value = example(code, status);
      return value === undefined ? [] : [[code, { value }] as const];
    });
    const chosen = status === TOO_LARGE || codes.some((code) => STATUS_CHOSEN.has(code));
    const choice = (is: boolean) => (is && tellChoices ? CHOICE : {});
    return {
      description:
        status === TOO_LARGE
          ? '`validation_error`: the body is larger than 1 MiB.'
          : codes.map((code) => `\`${code}\`: ${meaning[code]}`).join('\n\n'),
      ...choice(chosen),
      ...(status === ERROR_STATUS.rate_limited && { headers: { 'Retry-After': RETRY_AFTER } }),
      content: jsonContent(
        { ...errorSchema(codes), ...choice(true) },
        Object.fromEntries(examples),
      ),
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

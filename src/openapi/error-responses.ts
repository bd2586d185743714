import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import { CHOICE, type Json, jsonContent } from './json-schema.ts';

interface ErrorTexts {
  meaning: Partial<Record<ErrorCode, string>>;
  example(code: ErrorCode, status: number): unknown;
  marksChoices: boolean;
}

/** A body over the limit. `validation_error` is the only code with a second status. */
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

/** Error responses that operations share, each added when an operation first refers to it. */
export class ErrorResponses {
  readonly responses: Record<string, Json> = {};
  readonly #texts: ErrorTexts;

  constructor(texts: ErrorTexts) {
    this.#texts = texts;
  }

  /** Returns references to the responses with these codes and to that of a body over the limit, by status. */
  of(codes: readonly ErrorCode[]): Json {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of new Set(codes)) {
      const status = ERROR_STATUS[code];
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    byStatus.set(TOO_LARGE, ['validation_error']);
    const statuses = [...byStatus].sort(([a], [b]) => a - b);
    return Object.fromEntries(
      statuses.map(([status, codes]) => [status, this.#reference(status, codes.toSorted())]),
    );
  }

  #reference(status: number, codes: ErrorCode[]): Json {
    const title = TITLES[status] ?? `Status${status}`;
    const every = codesOf(status);
    const name = every.length > codes.length ? `${title}${pascalCase(codes)}` : title;
    this.responses[name] ??= this.#response(status, codes);
    return { $ref: `#/components/responses/${name}` };
  }

  #response(status: number, codes: readonly ErrorCode[]): Json {
    const { meaning, example, marksChoices } = this.#texts;
    const examples = codes.flatMap((code) => {
      const value = example(code, status);
      return value === undefined ? [] : [[code, { value }] as const];
    });
    const isChoice = status === TOO_LARGE || codes.some((code) => STATUS_CHOICES.has(code));
    const choice = (is: boolean) => (is && marksChoices ? CHOICE : {});
    return {
      description:
        status === TOO_LARGE
          ? '`validation_error`: the body is larger than 1 MiB.'
          : codes.map((code) => `\`${code}\`: ${meaning[code]}`).join('\n\n'),
      ...choice(isChoice),
      ...(status === ERROR_STATUS.rate_limited && { headers: { 'Retry-After': RETRY_AFTER } }),
      content: jsonContent(
        { ...errorSchema(codes), ...choice(true) },
        Object.fromEntries(examples),
      ),
    };
  }
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

function codesOf(status: number): string[] {
  return Object.entries(ERROR_STATUS).flatMap(([code, codeStatus]) =>
    codeStatus === status ? [code] : [],
  );
}

function pascalCase(codes: readonly ErrorCode[]): string {
  return codes.join('_').replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

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

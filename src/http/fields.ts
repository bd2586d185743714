import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { normalizeDomain, parseHttpUrl } from '../kernel/addresses.ts';
import { messageOf, validationError } from '../kernel/errors.ts';
import { SCHEMA_MESSAGES } from '../kernel/schema-messages.ts';
import { schemaMetadata } from '../kernel/schema-metadata.ts';
import { parseIsoTime } from '../kernel/time.ts';
import { DEFAULT_PAGE, MAX_PAGE } from '../store/paging.ts';
import { webhookUrlProblem } from '../webhooks/url-policy.ts';

/** Text without control characters or unpaired surrogates; every free text is built on it. */
export function text() {
  return z
    .string()
    .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
    .refine((value) => value.isWellFormed(), 'must not contain an unpaired surrogate');
}

export function requiredText(max = 2_000) {
  return text()
    .refine((value) => value.trim() !== '', 'must not be blank')
    .max(max, `must be at most ${max} characters`)
    .register(schemaMetadata, { minLength: 1, maxLength: max });
}

/** The name of a world or a snapshot, whose characters `assertValidName` checks. */
export function storedName() {
  return requiredText(63);
}

/** The secret of a credential or a webhook. */
export function secretText() {
  return requiredText(255).regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces');
}

/** A key ID. It needs no quoting in URLs and shells. */
export function keyId() {
  return requiredText(100).regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, "_" and "-"');
}

export function webhookUrl() {
  return requiredText()
    .superRefine((value, context) => {
      const message = webhookUrlProblem(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .register(schemaMetadata, { pattern: HTTP_SCHEME });
}

/** Converts a text with `parse`; rejects one for which that returns undefined. */
export function parsedText<T>(
  schema: z.ZodString,
  parse: (text: string) => T | undefined,
  message: string,
) {
  return schema.transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** A domain name; normalized. */
export function domainName() {
  return parsedText(
    text(),
    normalizeDomain,
    'must be a host name with at least two labels',
  ).register(schemaMetadata, {
    description:
      'A host name with at least two labels. Case, a trailing dot and spaces around it do not matter; IDN is taken as punycode.',
  });
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return z
    .int({ error: ({ input }) => (input === undefined ? undefined : 'must be a whole number') })
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
}

export function cents() {
  return z.number().int('must be a whole number of cents').positive('must be more than 0');
}

/** Ten billion dollars: sums of thousands of such amounts are still exact integers. */
const MAX_DEAL_CENTS = 1_000_000_000_000;

/** Like `cents`, with an upper limit, for amounts that are not compared with a listing. */
export function dealCents() {
  return cents().max(MAX_DEAL_CENTS, `must be at most ${MAX_DEAL_CENTS}`);
}

/** A currency code in capital letters, as listings have it. */
export function currencyCode() {
  return z.string().regex(/^[A-Z]{3}$/, 'must be a currency code in capital letters, such as USD');
}

/** An email address as `<input type=email>` accepts it; trimmed. */
export function emailAddress() {
  return text().regex(EMAIL_ADDRESS, 'must be an email address').trim();
}

/** The pattern of the HTML Standard ("Email state"), with the surrounding spaces that are trimmed. */
export const EMAIL_ADDRESS =
  /^\s*[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*\s*$/;

/** Matches an Idempotency-Key. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** A two-letter country code; converted to upper case. */
function countryCode() {
  return z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be a two-letter country code')
    .toUpperCase();
}

export function buyer() {
  return z.object({
    email: emailAddress(),
    name: requiredText(200).nullish(),
    country: countryCode().nullish(),
  });
}

/** A URL to which a buyer is redirected: http or https. */
export function webAddress() {
  return text()
    .max(2_000, 'must be at most 2000 characters')
    .refine(
      (value) => parseHttpUrl(value) !== undefined,
      'must be an absolute http or https URL, without spaces, user name or password',
    )
    .register(schemaMetadata, { pattern: HTTP_SCHEME });
}

const HTTP_SCHEME = '^[Hh][Tt][Tt][Pp][Ss]?://';

/** An ISO date or time; converted to Unix ms. */
export function isoTimeText() {
  return parsedText(
    z.string(),
    parseIsoTime,
    'must be an ISO 8601 date, or a time with Z or an offset',
  ).register(schemaMetadata, { description: 'An ISO 8601 date, or a time with Z or an offset.' });
}

/** `limit` of a query: 1 to 100. */
export function pageLimit(byDefault = DEFAULT_PAGE) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from 1 to ${MAX_PAGE}`)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= MAX_PAGE, `must be from 1 to ${MAX_PAGE}`)
    .default(byDefault)
    .register(schemaMetadata, {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PAGE,
      default: byDefault,
      description: 'Maximum number of items in a page.',
    });
}

/** `cursor` and `limit` of every list but /events. */
export function pageQuery() {
  return {
    cursor: text()
      .optional()
      .register(schemaMetadata, { description: 'The next_cursor of the previous page.' }),
    limit: pageLimit(),
  };
}

/** Query parameters `from` (inclusive) and `to` (exclusive). */
export function timeRangeQuery() {
  return { from: isoTimeText().optional(), to: isoTimeText().optional() };
}

/** Parses input with a schema. @throws validation_error for the first invalid field */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const result = schema.safeParse(input, SCHEMA_MESSAGES);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'body';
  throw validationError(`${field}: ${issue?.message ?? 'not valid'}`);
}

/**
 * Parses query parameters with a schema. Ignores parameters that the schema does not have.
 * @throws validation_error, also if a parameter is given twice
 */
export function parseQueryInput<Schema extends z.ZodObject>(
  schema: Schema,
  pairs: readonly [name: string, value: string][],
): z.output<Schema> {
  const values: Record<string, string> = {};
  for (const [name, value] of pairs) {
    if (Object.hasOwn(schema.shape, name) && Object.hasOwn(values, name)) {
      throw validationError(`${name}: given more than once`);
    }
    values[name] = value;
  }
  return parseWith(schema, values);
}

/**
 * Parses a body that must be a JSON object.
 * @throws validation_error if the content type is not JSON or the body is not a JSON object in UTF-8
 */
export function jsonObject(
  body: Uint8Array,
  contentType: string | undefined,
): Record<string, unknown> {
  if (!/^application\/json\s*(?:;|$)/i.test(contentType?.trim() ?? '')) {
    throw validationError('body: send a JSON object with Content-Type: application/json');
  }
  if (!isUtf8(body)) throw validationError('body: not valid UTF-8');
  const value = parseBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw validationError('body: must be a JSON object');
  }
  return value as Record<string, unknown>;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Only the position: the message of the engine also quotes the body.
    const [position] = / at position \d+/.exec(messageOf(error)) ?? [''];
    throw validationError(`body: not valid JSON${position}`);
  }
}

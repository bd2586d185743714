import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseHttpUrl } from '../../kernel/addresses.ts';
import { ERROR_CODES } from '../../kernel/errors.ts';
import { ID_PREFIXES } from '../../kernel/ids.ts';
import { APIS } from '../../requests/message.ts';
import { RATE_CLASSES } from '../../store/schema/enums.ts';
import { ID_SERIES, type WorkCause } from '../../world/acts.ts';
import { POLICIES } from './column-policy.ts';
import { MAX_HEADERS, MAX_INVENTORY, parseBoundedJson } from './limits.ts';
export const FORMAT = 'sandlot-repro';
export const FORMAT_VERSION = 1;

const time = () =>
  z.codec(z.iso.datetime({ precision: 3 }), z.int(), {
    decode: (text) => Date.parse(text),
    encode: (ms) => new Date(ms).toISOString(),
  });
const number = () => z.int().min(1).describe('Number of an act.');
const place = () =>
  z
    .string()
    .regex(
      /^\d{1,9}(?:\.\d{1,9})?$/,
      'must be the number of an act, or 12.1 for the first read after act 12',
    )
    .describe('Number of the first act of a request; `12.1` is the first read after act 12.');
const digest = () => z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');

/** Standard base64 with padding. Faster for a megabyte than the regular expression of zod. */
const base64 = () =>
  z
    .string()
    .refine(
      (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
      'must be base64',
    );

export const bodySchema = z.union(
  [z.object({ text: z.string() }), z.object({ base64: base64() })],
  'must have text or base64',
);

const headers = () =>
  z.array(z.tuple([z.string(), z.string()])).max(MAX_HEADERS, `more than ${MAX_HEADERS} headers`);

const idSeries = () => z.int().min(0).max(1_000_000_000);

const baseSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('seed'),
    seed: z.string().min(1).max(100),
    inventory: z.int().min(0).max(MAX_INVENTORY).describe('Number of synthetic domains.'),
    digest: digest().describe('SHA-256 of the seeded inventory.'),
    created_at: time().describe('Real time of creation.'),
    id_series: idSeries(),
  }),
  z.object({
    type: z.literal('rows'),
    token_key_of: worldName().describe('World from whose name the token key follows.'),
  }),
]);

export const settingsSchema = z.object({
  rate_limits: z
    .partialRecord(z.enum(RATE_CLASSES), z.int().min(1).nullable())
    .describe('Requests per minute; null for no limit.'),
  last_id_series: idSeries().describe('Last ID series of the world before the first act.'),
  frozen_at: time().nullable().describe('Sandbox time at which a fresh world is frozen.'),
  default_credential: z.boolean().describe('Whether the default world has its credential.'),
});

export const headSchema = z.object({
  kind: z.literal('head'),
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  sandlot: z.string().max(100).describe('Version that recorded it.'),
  schema: z.int().min(1).describe('Version of the database.'),
  made_at: time(),
  origin: z.enum(['sandbox', 'minimized', 'replayed']),
  world: worldName(),
  base_url: z.string().max(2_000).refine(isOrigin, 'must be an http or https origin'),
  settings: settingsSchema,
  base: baseSchema,
  target: place().describe('Request that the file is about.'),
  focus: z.tuple([place(), place()]).describe('First and last request of the selection.'),
  verified: z.boolean().describe('Whether two replays gave the recorded responses.'),
  problem: z
    .object({ input: place(), cause: z.enum(['replay', 'replacing']) })
    .nullish()
    .describe('The first request or act that a replay changed, if it is not verified.'),
  privacy: z.object({
    personal_data: z.enum(['replaced', 'kept']),
    replaced: z
      .record(z.string(), z.int().min(0))
      .describe('Number of different values replaced, by kind.'),
  }),
});

const cell = z.union([z.string(), z.int(), z.null()]);

export const rowSchema = z
  .object({
    kind: z.literal('row'),
    table: z.string(),
    values: z.record(z.string(), cell),
  })
  .superRefine(({ table, values }, context) => {
    const issue = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const columns = POLICIES.get(table);
    if (!columns) return issue('table', `unknown table ${JSON.stringify(table)}`);
    for (const column of Object.keys(values)) {
      if (columns.has(column)) continue;
      issue('values', `unknown column ${JSON.stringify(column)} of table ${table}`);
    }
  });

export const responseSchema = z.union([
  z.object({
    status: z.int().min(100).max(599),
    headers: headers(),
    body: z.union([
      bodySchema,
      z.object({ bytes: z.int().min(0), sha256: digest() }).describe('Of a long body.'),
    ]),
  }),
  z.object({ closed: z.literal(true) }).describe('Closed without a response.'),
]);

const rejectionSchema = z.object({
  code: z.enum(ERROR_CODES) as z.ZodType<string>,
  message: z.string(),
  status: z.int().min(400).max(599),
});

export const requestSchema = z.object({
  kind: z.literal('request'),
  request_id: z.string().max(100),
  after: z.int().min(0).describe('Number of the act before it.'),
  acts: z.array(number()).max(1_000).describe('Its acts. A request without any is a read.'),
  at: time().describe('Real time of its first act, or of the read.'),
  api: z.enum(APIS),
  method: z.string().min(1).max(1_000),
  target: z.string().min(1).describe('Path and query, as sent.'),
  headers: headers(),
  body: bodySchema.nullable(),
  body_result: rejectionSchema.nullable().describe('Why the body could not be read.'),
  signature_result: z
    .union([z.literal('passed'), rejectionSchema])
    .nullable()
    .describe('What verifying the signature gave; null if it was not verified.'),
  response: responseSchema.optional().describe('Not compared if absent.'),
  failed_check: z.string().max(100).nullish(),
});

const sendSchema = z.object({
  outcome: z.string().max(200),
  http_status: z.int().nullable(),
  duration_ms: z.int().min(0),
  response: z.string().nullable(),
});

const COUNTERS = [...ID_PREFIXES, 'secret:key id', 'secret:secret', ID_SERIES] as const;

const deliveryId = () => z.string().max(100);

export const actSchema = z.object({
  kind: z.literal('act'),
  n: number(),
  at: time().describe('Real time.'),
  now: time().describe('Sandbox time.'),
  cause: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('request'),
      of: number().describe('First act of the request.'),
      part: z.int().min(1).max(1_000).describe('Counts the acts of the request.'),
    }),
    z.object({ type: z.literal('clock.to') }),
    z.object({ type: z.literal('moves') }),
    z.object({ type: z.literal('attempt'), id: deliveryId() }),
    z.object({ type: z.literal('outcome'), id: deliveryId() }),
  ]),
  params: z
    .object({
      to: z.int().optional().describe('Sandbox time of `clock.to`, Unix ms.'),
      body: z.string().optional().describe('Webhook body of `outcome`.'),
    })
    .optional(),
  given: z.array(sendSchema).max(1_000).optional().describe('How sends ended.'),
  counters: (z.partialRecord(z.enum(COUNTERS), z.int().min(0)) as z.ZodType<Record<string, number>>)
    .optional()
    .describe('Counters before the act that changed since the act before; all of them at first.'),
});

export const endSchema = z.object({
  kind: z.literal('end'),
  lines: z.int().min(2).optional().describe('Number of lines, this one included.'),
  digest: digest().optional().describe('SHA-256 of the world after the last act.'),
});

export const LINE_SCHEMAS = {
  head: headSchema,
  row: rowSchema,
  request: requestSchema,
  act: actSchema,
  end: endSchema,
};

/** Returns the first problem of a line. */
export function problemOf({ issues: [issue] }: z.ZodError): string {
  const field = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  return `${field}${issue?.message ?? 'invalid'}`;
}

/** A body, in base64 if it is not UTF-8. */
export type RecordedBody = z.output<typeof bodySchema>;
/** A response. A long body is replaced by its size and SHA-256; the body of a hosted page is empty. */
export type ResponseRecord = z.output<typeof responseSchema>;
/** The result of a check that a replay cannot repeat. */
export type RecordedRejection = z.output<typeof rejectionSchema>;
/** A received request, without secrets, and its response. */
export type RequestRecord = z.output<typeof requestSchema>;
/** How a send ended. */
export type SendRecord = z.output<typeof sendSchema>;
export type ActCause =
  | Extract<z.output<typeof actSchema>['cause'], { type: 'request' }>
  | { type: WorkCause['type']; id?: string | undefined };
/** A change of a world. */
export type ActRecord = Omit<z.output<typeof actSchema>, 'cause'> & { cause: ActCause };
export type InputRecord = RequestRecord | ActRecord;

export type ReproHead = z.output<typeof headSchema>;
export type ReproRow = z.output<typeof rowSchema>;
export type ReproEnd = z.output<typeof endSchema>;
export type ReproLine = ReproHead | ReproRow | InputRecord | ReproEnd;

/** The contents of a repro file. Times are Unix ms. */
export interface Repro {
  head: ReproHead;
  rows: ReproRow[];
  /** A request precedes its first act. A request without an act follows the act whose state it read. */
  inputs: InputRecord[];
  end: ReproEnd;
}

/** The JSON Schema of a line. */
export function reproJsonSchema(): object {
  const schema = z.toJSONSchema(z.union(Object.values(LINE_SCHEMAS)), {
    io: 'input',
    unrepresentable: 'any',
  });
  return { ...schema, title: 'A line of a sandlot repro file' };
}

export function bodyOf(bytes: Buffer): RecordedBody {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}

export function bytesOf(body: RecordedBody | null): Buffer {
  if (body === null) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}

/** Returns the text of a body or of the body of a response; empty if the file has none, or only its size. */
export function textOf(
  part: RecordedBody | BodyDigest | ResponseRecord | null | undefined,
): string {
  if (!part || 'closed' in part || 'bytes' in part) return '';
  return 'body' in part ? textOf(part.body) : bytesOf(part).toString();
}

/** Parses a body or the body of a response; undefined if it is not JSON. */
export function jsonOf(part: Parameters<typeof textOf>[0]): unknown {
  return parseBoundedJson(textOf(part));
}

/** A longer response body is stored as its size and digest. */
const MAX_RESPONSE_BYTES = 32 * 1024;

type BodyDigest = { bytes: number; sha256: string };

export function digestOfBody(bytes: Buffer): BodyDigest {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Replaces a long body by its size and digest, as in a file. */
export function withShortBody(response: ResponseRecord): ResponseRecord {
  if ('closed' in response || 'bytes' in response.body) return response;
  const bytes = bytesOf(response.body);
  if (bytes.length <= MAX_RESPONSE_BYTES) return response;
  return { ...response, body: digestOfBody(bytes) };
}

/** Whether a text is an http or https address without a path. */
function isOrigin(text: string): boolean {
  return parseHttpUrl(text)?.origin === text;
}

/** A valid name of a world. The name is not used in paths of files. */
function worldName() {
  return z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be the name of a world');
}

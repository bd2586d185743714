import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ERROR_CODES } from '../kernel/errors.ts';
import { APIS } from '../requests/message.ts';
import { RATE_CLASSES } from '../store/schema/enums.ts';
import { STEP_LABELS } from '../world/inputs.ts';
import { isKnownColumn, isKnownTable } from './column-policy.ts';
import { MAX_HEADERS, MAX_INVENTORY } from './limits.ts';

export const FORMAT = 'sandlot-repro';
export const FORMAT_VERSION = 1;
export const MEDIA_TYPE = 'application/vnd.sandlot.repro+jsonl';

const time = () =>
  z.codec(z.iso.datetime({ precision: 3 }), z.int(), {
    decode: (text) => Date.parse(text),
    encode: (ms) => new Date(ms).toISOString(),
  });
const number = () => z.int().min(1).describe('Number of an input.');
const digest = () => z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');

/** Standard base64 with padding. Quick for a megabyte, where the check of zod takes a pattern of groups. */
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
  last_id_series: idSeries().describe('Last ID series of the world before the first input.'),
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
  origin: z.enum(['sandbox', 'minimized', 'har']),
  world: worldName(),
  base_url: z.string().max(2_000).refine(isOrigin, 'must be an http or https origin'),
  settings: settingsSchema,
  base: baseSchema,
  target: number().describe('Input that the file is about.'),
  focus: z.tuple([number(), number()]).describe('First and last input of the selection.'),
  verified: z.boolean().describe('Whether two replays gave the recorded responses.'),
  problem: z
    .object({ input: number(), cause: z.enum(['replay', 'replacing']) })
    .nullish()
    .describe('The first input whose response a replay changed, if it is not verified.'),
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
    if (!isKnownTable(table)) return issue('table', `unknown table ${JSON.stringify(table)}`);
    for (const column of Object.keys(values)) {
      if (isKnownColumn(table, column)) continue;
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
  code: z.enum(ERROR_CODES),
  message: z.string(),
  status: z.int().min(400).max(599),
});

export const requestSchema = z.object({
  kind: z.literal('request'),
  n: number(),
  at: time().describe('Real time of the event-loop tick.'),
  request_id: z.string().max(100),
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

const resultSchema = z.union([
  z.object({
    outcome: z.string().max(200),
    http_status: z.int().nullable(),
    duration_ms: z.int().min(0),
    response: z.string().nullable(),
  }),
  z.object({ id_series: idSeries() }),
]);

export const stepSchema = z.object({
  kind: z.literal('step'),
  n: number(),
  at: time(),
  label: z.enum(STEP_LABELS),
  of: number().nullish().describe('Input that goes on, or whose send has returned.'),
  delivery: z.string().max(100).nullish(),
  body: z.string().nullish().describe('Webhook body that was sent.'),
  result: resultSchema.nullish().describe('What cannot be computed again.'),
});

export const endSchema = z.object({
  kind: z.literal('end'),
  lines: z.int().min(2).optional().describe('Number of lines, this one included.'),
  digest: digest().optional().describe('SHA-256 of the world after the last input.'),
});

export const LINE_SCHEMAS = {
  head: headSchema,
  row: rowSchema,
  request: requestSchema,
  step: stepSchema,
  end: endSchema,
};

export type ReproHead = z.output<typeof headSchema>;
export type ReproSettings = z.output<typeof settingsSchema>;
export type ReproRow = z.output<typeof rowSchema>;
export type ReproRequest = z.output<typeof requestSchema>;
export type ReproResponse = z.output<typeof responseSchema>;
export type ReproResult = z.output<typeof resultSchema>;
export type ReproStep = z.output<typeof stepSchema>;
export type ReproBody = z.output<typeof bodySchema>;
export type ReproEnd = z.output<typeof endSchema>;
export type ReproInput = ReproRequest | ReproStep;
export type ReproLine = ReproHead | ReproRow | ReproInput | ReproEnd;

/** The contents of a repro file. Times are Unix ms. */
export interface Repro {
  head: ReproHead;
  rows: ReproRow[];
  /** In order of their numbers. */
  inputs: ReproInput[];
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

export function bodyOf(bytes: Buffer): ReproBody {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}

export function bytesOf(body: ReproBody | null): Buffer {
  if (body === null) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}

/** A file has a longer response body only as its size and digest. */
const MAX_RESPONSE_BYTES = 32 * 1024;

export function digestOfBody(bytes: Buffer): { bytes: number; sha256: string } {
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Returns a response as a file has it. */
export function shortened(response: ReproResponse): ReproResponse {
  if ('closed' in response || 'bytes' in response.body) return response;
  const bytes = bytesOf(response.body);
  if (bytes.length <= MAX_RESPONSE_BYTES) return response;
  return { ...response, body: digestOfBody(bytes) };
}

/** An http or https address without a path, as clients reach a sandbox. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}

/** As a world may be called; it never reaches a file system. */
function worldName() {
  return z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be the name of a world');
}

import { z } from 'zod';
import { parseHttpUrl } from '../../kernel/addresses.ts';
import { ERROR_CODES } from '../../kernel/errors.ts';
import { APIS } from '../../requests/message.ts';
import { CHECKS, RESULTS } from '../../requests/trace.ts';
import { RATE_CLASSES } from '../../store/schema/enums.ts';
import { COLUMNS } from './columns.ts';
import { MAX_HEADERS, MAX_INVENTORY, parseBoundedJson } from './limits.ts';

export const FORMAT = 'sandlot-repro';
export const FORMAT_VERSION = 2;

/** Unix ms, up to the year 9999. */
const time = () => z.int().min(0).max(253_402_300_799_999);

const bodySchema = z.union([
  z.object({ text: z.string() }),
  // Faster for a megabyte than the regular expression of zod.
  z.object({ base64: z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/) }),
]);

const headers = () => z.array(z.tuple([z.string(), z.string()])).max(MAX_HEADERS);

/** The name is not used in paths of files. */
const worldName = () => z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/);

const headSchema = z.object({
  kind: z.literal('head'),
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  sandlot: z.string().max(100),
  schema: z.int().min(1),
  made_at: time(),
  world: worldName(),
  base_url: z
    .string()
    .max(2_000)
    .refine((url) => parseHttpUrl(url)?.origin === url),
  rate_limits: z.partialRecord(z.enum(RATE_CLASSES), z.int().min(1).nullable()),
  seed: z.string().min(1).max(100),
  inventory: z.int().min(0).max(MAX_INVENTORY),
  digest: z.string(),
  /** The world from whose name the token key follows. */
  token_key_of: worldName().nullable(),
  target: z.int().min(1),
  /** Why it does not replay. */
  problem: z.string().max(1_000).nullable(),
  privacy: z.object({ personal_data: z.enum(['replaced', 'kept']) }),
});

const cell = z.union([z.string(), z.int(), z.null()]);

const rowOf = <Kind extends 'base' | 'state'>(kind: Kind) =>
  z
    .object({
      kind: z.literal(kind),
      table: z.string(),
      values: z.record(z.string(), cell),
      /** Whether it is a generated row that is missing. */
      removed: z.literal(true).optional(),
    })
    .refine(({ table, values }) => {
      const columns = COLUMNS.get(table);
      return Object.keys(values).every((name) => columns?.includes(name)) && columns !== undefined;
    }, 'unknown table or column');

/** Not deeper, because values of a few bytes in a file can take many in memory. */
const detail = z.custom<Record<string, unknown>>((value) => {
  const isScalar = (item: unknown) => typeof item !== 'object' || item === null;
  const isFlat = (item: unknown) => isScalar(item) || Object.values(Object(item)).every(isScalar);
  return !isScalar(value) && Object.values(Object(value)).every(isFlat);
});

const responseSchema = z.union([
  z.object({
    status: z.int().min(100).max(599),
    headers: headers(),
    body: z.object({
      text: z.string(),
      is_cut: z.literal(true).optional(),
    }),
  }),
  z.object({ closed: z.literal(true) }),
]);

const rejectionSchema = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  status: z.int().min(400).max(599),
});

const runSchema = z.object({
  /** Rises with each run in the world. */
  n: z.int().min(1),
  at: time(),
  /** Sandbox time. */
  now: time(),
});

const requestSchema = z.object({
  kind: z.literal('request'),
  n: z.int().min(1),
  request_id: z.string().max(100),
  /** Real time of receipt. */
  at: time(),
  runs: z.array(runSchema).max(1_000),
  api: z.enum(APIS),
  method: z.string().min(1).max(1_000),
  target: z.string().min(1),
  endpoint: z.string().nullable(),
  partner_id: z.string().max(100).nullable(),
  environment: z.string().max(100).nullable(),
  headers: headers(),
  body: bodySchema.nullable(),
  /** Whether only the beginning of the body was logged. */
  is_cut: z.literal(true).optional(),
  body_result: rejectionSchema.nullable(),
  /** Null if it was not verified. */
  signature_result: z.union([z.literal('passed'), rejectionSchema]).nullable(),
  response: responseSchema,
  code: z.enum(ERROR_CODES).nullable(),
  trace: z
    .array(
      z.union([
        z.enum(CHECKS),
        z.object({
          check: z.enum(CHECKS),
          result: z.enum(RESULTS),
          detail: detail.optional(),
        }),
      ]),
    )
    .max(1_000),
});

const endSchema = z.object({ kind: z.literal('end') });

export const LINE_SCHEMAS = {
  head: headSchema,
  base: rowOf('base'),
  request: requestSchema,
  state: rowOf('state'),
  end: endSchema,
};

/** A body, in base64 if it is not UTF-8. */
type RecordedBody = z.output<typeof bodySchema>;
/** A response; the body of a hosted page is empty. */
export type ResponseRecord = z.output<typeof responseSchema>;
/** The result of a check that a replay cannot repeat. */
export type RecordedRejection = z.output<typeof rejectionSchema>;
/** A received request, without secrets, and its response. */
export type RequestRecord = z.output<typeof requestSchema>;
export type ReproHead = z.output<typeof headSchema>;
/** A row of the database that differs from the generated inventory. */
export type ReproRow = z.output<ReturnType<typeof rowOf<'base' | 'state'>>>;
export type ReproLine = ReproHead | ReproRow | RequestRecord | z.output<typeof endSchema>;

/** The contents of a repro file. Times are Unix ms. */
export interface Repro {
  head: ReproHead;
  /** The world when its first request ran; empty if the file does not replay. */
  base: ReproRow[];
  requests: RequestRecord[];
  /** The world after the last request. */
  state: ReproRow[];
}

/** Returns the check that a request failed. */
export function failedCheckOf({ trace }: Pick<RequestRecord, 'trace'>): string | null {
  const failed = trace.find((step) => typeof step === 'object' && step.result === 'failed');
  return typeof failed === 'object' ? failed.check : null;
}

export function bodyOf(bytes: Buffer): RecordedBody {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}

export function bytesOf(body: RecordedBody | null): Buffer {
  if (body === null) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}

/** Returns the text of a body or of the body of a response; empty if there is none. */
export function textOf(part: RecordedBody | ResponseRecord | null | undefined): string {
  if (!part || 'closed' in part) return '';
  return 'body' in part ? part.body.text : bytesOf(part).toString();
}

/** Parses a body or the body of a response; undefined if it is not JSON. */
export function jsonOf(part: Parameters<typeof textOf>[0]): unknown {
  return parseBoundedJson(textOf(part));
}

import { z } from 'zod';
import { parseHttpUrl } from '../../kernel/addresses.ts';
import { ERROR_CODES } from '../../kernel/errors.ts';
import { parseShallowJson } from '../../kernel/json.ts';
import { APIS, type Message } from '../../requests/message.ts';
import { CHECKS, failedStepOf, RESULTS } from '../../requests/trace.ts';
import { RATE_CLASSES } from '../../store/schema/enums.ts';
import { isValidName } from '../../world/files.ts';
import { COLUMNS } from './columns.ts';
import { MAX_HEADERS, MAX_INVENTORY } from './limits.ts';

export const FORMAT = 'sandlot-repro';
/** Rises with each change of the format. Files of other versions are not read. */
export const FORMAT_VERSION = 5;

/** Unix ms, up to the year 9999. */
const time = () => z.int().min(0).max(253_402_300_799_999);

const headSchema = z.object({
  kind: z.literal('head'),
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  sandlot: z.string().max(100),
  schema: z.int().min(1),
  made_at: time(),
  world: z.string().refine(isValidName, 'is not a valid name'),
  seed: z.string().min(1).max(100),
  inventory: z.int().min(0).max(MAX_INVENTORY),
  /** Of the generated inventory. */
  digest: z.string(),
  /** Number of the request that shows the problem. */
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
      /** Whether the world lacks this generated row. Of a changed row, the one with the new values follows. */
      removed: z.literal(true).optional(),
    })
    .refine(({ table, values }) => {
      const columns = COLUMNS.get(table);
      return Object.keys(values).every((name) => columns?.includes(name)) && columns !== undefined;
    }, 'unknown table or column');

/** At most two levels, because values of a few bytes in a file can take many in memory. */
const detail = z.custom<Record<string, unknown>>((value) => {
  const isScalar = (item: unknown) => typeof item !== 'object' || item === null;
  const isFlat = (item: unknown) => isScalar(item) || Object.values(Object(item)).every(isScalar);
  return !isScalar(value) && Object.values(Object(value)).every(isFlat);
});

const message = () =>
  z.object({
    headers: z
      .array(z.tuple([z.string(), z.string()]).readonly())
      .max(MAX_HEADERS)
      .readonly(),
    body: z.string().nullable(),
    bytes: z.int().min(0),
    encoding: z.enum(['utf8', 'base64']),
    altered: z.enum(['truncated', 'redacted']).nullable(),
  });

const runSchema = z.object({
  /** Rises with each run in the world. */
  n: z.int().min(1),
  /** Real time. */
  at: time(),
  /** Sandbox time. */
  now: time(),
});

/** An entry of the request log, with only what a replay needs. */
const requestSchema = z.object({
  kind: z.literal('request'),
  /** From 1, in the order of runs, if sandlot wrote the file; not checked. */
  n: z.int().min(1),
  requestId: z.string().max(100),
  /** Sandbox time. */
  at: time(),
  /** Real time. */
  receivedAt: time(),
  runs: z.array(runSchema).max(1_000),
  start: z.object({
    /** Real time. */
    at: time(),
    baseUrl: z
      .string()
      .max(2_000)
      .refine((url) => parseHttpUrl(url)?.origin === url),
    rateLimits: z.record(z.enum(RATE_CLASSES), z.int().min(1).nullable()),
  }),
  api: z.enum(APIS),
  method: z.string().min(1).max(1_000),
  target: z.string().min(1),
  endpoint: z.string().nullable(),
  keyId: z.string().nullable(),
  partnerId: z.string().max(100).nullable(),
  environment: z.string().max(100).nullable(),
  /** Null if the connection was closed. */
  status: z.int().min(100).max(599).nullable(),
  code: z.string().max(100).nullable(),
  request: message(),
  /** The body of a hosted page is empty. */
  response: message(),
  bodyRejection: z
    .object({
      code: z.enum(ERROR_CODES),
      message: z.string(),
      status: z.int().min(400).max(599),
    })
    .nullable(),
  trace: z
    .array(
      z.object({
        check: z.enum(CHECKS),
        result: z.enum(RESULTS),
        detail: z.exactOptional(detail),
      }),
    )
    .max(1_000)
    .readonly(),
});

/** The lines of a file by kind, in their order. Fields that a schema does not name are left out. */
export const LINE_SCHEMAS = {
  head: headSchema,
  base: rowOf('base'),
  request: requestSchema,
  state: rowOf('state'),
  end: z.object({ kind: z.literal('end') }),
};

/** A received request, without secrets, and its response. */
export type RequestRecord = z.output<typeof requestSchema>;
export type ReproHead = z.output<typeof headSchema>;
/** A row of the database that differs from the generated inventory. */
export type ReproRow = z.output<ReturnType<typeof rowOf<'base' | 'state'>>>;
export type ReproLine = ReproHead | ReproRow | RequestRecord | { kind: 'end' };

/** The contents of a repro file. Times are Unix ms. */
export interface Repro {
  head: ReproHead;
  /** The world before its first request; empty if a replay cannot begin, for the reason in `problem`. */
  base: ReproRow[];
  requests: RequestRecord[];
  /** The world after the last request; in an export, it may also be after later ones, which the file lacks. */
  state: ReproRow[];
}

/** Checks that read the body. Of `body` and `signature`, a replay takes the result from the file. */
const BODY_CHECK = /^(?:magic_domain|fault|idempotency|validation|rules)$/;

/** Whether a rejection may be due to the body, of which only the beginning is known: a replay may give another reason. */
export function isBodyCut({ api, request, trace }: RequestRecord): boolean {
  if (request.altered !== 'truncated') return false;
  // The trace of a page does not say whether its form was rejected.
  return api === 'page' || BODY_CHECK.test(failedStepOf(trace)?.check ?? '');
}

export function bytesOf({ body, encoding }: Message): Buffer {
  return Buffer.from(body ?? '', encoding);
}

export function textOf(message: Message): string {
  return bytesOf(message).toString();
}

/** Parses the body of a message; undefined if it is not JSON. */
export function jsonOf(message: Message): unknown {
  return parseShallowJson(textOf(message));
}

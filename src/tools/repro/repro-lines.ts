import zlib from 'node:zlib';
import { measureJson, parseJson } from '../../kernel/json.ts';
import { SCHEMA_MESSAGES } from '../../kernel/schema-messages.ts';
import { SCHEMA_VERSION } from '../../store/create-tables.ts';
import {
  FORMAT,
  FORMAT_VERSION,
  LINE_SCHEMAS,
  type Repro,
  type ReproLine,
  type RequestRecord,
} from './format.ts';
import {
  MAX_LINE_BYTES,
  MAX_REQUESTS,
  MAX_UNPACKED_BYTES,
  MAX_VALUES,
  MEGABYTE,
  ReproFileError,
} from './limits.ts';

const NEWLINE = 0x0a;

/** Reads a repro file, compressed or not, and checks each line. @throws ReproFileError */
export function readRepro(file: Uint8Array): Repro {
  const bytes = unpack(file);
  const requests: RequestRecord[] = [];
  const rows: Pick<Repro, 'base' | 'state'> = { base: [], state: [] };
  let head: Repro['head'] | undefined;
  let hasEnded = false;
  for (let start = 0, number = 1; start < bytes.length; number += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const line = bytes.subarray(start, newline < 0 ? bytes.length : newline);
    start += line.length + 1;
    if (line.length > MAX_LINE_BYTES) {
      throw lineError(number, `longer than ${MAX_LINE_BYTES / MEGABYTE} MB`);
    }
    const text = Buffer.from(line).toString();
    // Before it is parsed: a value of two bytes can take a hundred in memory.
    if (measureJson(text).values > MAX_VALUES) {
      throw lineError(number, `more than ${MAX_VALUES} fields and elements`);
    }
    const record = readLine(parseJson(text), number);
    hasEnded = record.kind === 'end';
    if (record.kind === 'head') head = record;
    else if (record.kind === 'request') requests.push(record);
    else if (record.kind !== 'end') rows[record.kind].push(record);
    if (requests.length > MAX_REQUESTS)
      throw lineError(number, `more than ${MAX_REQUESTS} requests`);
  }
  if (!head) throw new ReproFileError('the file is empty');
  if (!hasEnded) throw new ReproFileError('the file is truncated');
  const { target } = head;
  if (requests.some(({ n }) => n === target)) return { head, requests, ...rows };
  throw new ReproFileError(`the file lacks its target, request ${target}`);
}

function unpack(file: Uint8Array): Uint8Array {
  const isCompressed = file[0] === 0x1f && file[1] === 0x8b;
  try {
    const bytes = isCompressed
      ? zlib.gunzipSync(file, { maxOutputLength: MAX_UNPACKED_BYTES })
      : file;
    if (bytes.length <= MAX_UNPACKED_BYTES) return bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') {
      throw new ReproFileError('the gzip data is truncated or invalid');
    }
  }
  throw new ReproFileError(`the file is larger than ${MAX_UNPACKED_BYTES / MEGABYTE} MB unpacked`);
}

function readLine(value: unknown, number: number): ReproLine {
  const record = Object(value) as Record<string, unknown>;
  if (number === 1) assertFormat(record);
  const kind = typeof record.kind === 'string' ? record.kind : '';
  if (!Object.hasOwn(LINE_SCHEMAS, kind) || (kind === 'head' && number > 1)) {
    throw lineError(number, 'not a line of a repro file');
  }
  const result = LINE_SCHEMAS[kind as keyof typeof LINE_SCHEMAS].safeParse(record, SCHEMA_MESSAGES);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  throw lineError(number, `${field}${issue?.message ?? 'invalid'}`);
}

function lineError(number: number, message: string): ReproFileError {
  return new ReproFileError(`line ${number}: ${message}`);
}

/** @throws ReproFileError for another format or version */
function assertFormat({ kind, format, version, sandlot, schema }: Record<string, unknown>): void {
  if (kind !== 'head' || format !== FORMAT || typeof sandlot !== 'string') {
    throw new ReproFileError(
      `not a repro file: the first line is not a head of format "${FORMAT}"`,
    );
  }
  for (const [part, fileVersion, supported] of [
    ['format', version, FORMAT_VERSION],
    ['database', schema, SCHEMA_VERSION],
  ] as const) {
    if (typeof fileVersion !== 'number' || fileVersion === supported) continue;
    throw new ReproFileError(
      `the file has version ${fileVersion} of the ${part}, and this sandlot reads ${supported}; use sandlot ${sandlot}`,
    );
  }
}

export function linesOfRepro({ head, base, requests, state }: Repro): string[] {
  const lines: ReproLine[] = [head, ...base, ...requests, ...state, { kind: 'end' }];
  return lines.map((line) => JSON.stringify(line));
}

export function writeRepro(repro: Repro, { compressed = true } = {}): Buffer {
  const bytes = Buffer.from(`${linesOfRepro(repro).join('\n')}\n`);
  return compressed ? zlib.gzipSync(bytes) : bytes;
}

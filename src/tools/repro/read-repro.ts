import zlib from 'node:zlib';
import { WRONG_TYPE } from '../../kernel/wrong-type.ts';
import { MIGRATIONS } from '../../store/migrate.ts';
import {
  FORMAT,
  FORMAT_VERSION,
  LINE_SCHEMAS,
  problemOf,
  type Repro,
  type ReproHead,
  type ReproLine,
} from './format.ts';
import {
  MAX_ALL_VALUES,
  MAX_REQUESTS,
  MAX_UNPACKED_BYTES,
  MEGABYTE,
  measureLine,
  ReproFileError,
} from './limits.ts';

const NEWLINE = 0x0a;

/** Reads a repro file, compressed or not, and checks each line. @throws ReproFileError */
export function readRepro(file: Uint8Array, { maxBytes = MAX_UNPACKED_BYTES } = {}): Repro {
  const bytes = unpack(file, maxBytes);
  const reader = new LineReader();
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    reader.readLine(bytes.subarray(start, end < 0 ? bytes.length : end), end >= 0);
    start = end < 0 ? bytes.length : end + 1;
  }
  return reader.finish();
}

function unpack(file: Uint8Array, maxBytes: number): Uint8Array {
  const isCompressed = file[0] === 0x1f && file[1] === 0x8b;
  try {
    // Lines of a truncated file are read too, so that the error can name the last request.
    const finishFlush = zlib.constants.Z_SYNC_FLUSH;
    const bytes = isCompressed
      ? zlib.gunzipSync(file, { finishFlush, maxOutputLength: maxBytes })
      : file;
    if (bytes.length <= maxBytes) return bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') {
      throw new ReproFileError('the gzip data is invalid');
    }
  }
  throw new ReproFileError(`the file is larger than ${maxBytes / MEGABYTE} MB unpacked`);
}

/** Checks one line after the other. */
class LineReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #repro: Pick<Repro, 'base' | 'requests' | 'state'> = {
    base: [],
    requests: [],
    state: [],
  };
  #head: ReproHead | undefined;
  #hasEnded = false;
  #lines = 0;
  #values = 0;

  /** @param endsWithNewline whether the line ends with a line break */
  readLine(bytes: Uint8Array, endsWithNewline: boolean): void {
    const { base, requests, state } = this.#repro;
    this.#lines += 1;
    this.#require(!this.#hasEnded, 'nothing may follow the end');
    const { values, excess } = measureLine(bytes);
    this.#require(excess === undefined, excess ?? '');
    this.#values += values;
    this.#require(
      this.#values <= MAX_ALL_VALUES,
      `the file has more than ${MAX_ALL_VALUES} fields and elements`,
    );
    const line = this.#check(this.#parse(bytes, endsWithNewline));
    switch (line.kind) {
      case 'head':
        this.#head = line;
        break;
      case 'base':
        this.#require(requests.length === 0, 'a row of the base must precede requests');
        base.push(line);
        break;
      case 'state':
        state.push(line);
        break;
      case 'end':
        this.#hasEnded = true;
        break;
      default:
        this.#require(state.length === 0, 'a request must precede the state');
        this.#require(
          line.n > this.#last,
          `n: ${line.n} follows ${this.#last}; numbers must ascend`,
        );
        this.#require(requests.length < MAX_REQUESTS, `more than ${MAX_REQUESTS} requests`);
        requests.push(line);
    }
  }

  get #last(): number {
    return this.#repro.requests.at(-1)?.n ?? 0;
  }

  finish(): Repro {
    if (this.#lines === 0) throw new ReproFileError('the file is empty');
    if (!this.#head || !this.#hasEnded) throw this.#truncated();
    const { target } = this.#head;
    if (!this.#repro.requests.some(({ n }) => n === target)) {
      throw new ReproFileError(`head: target: request ${target} is not in the file`);
    }
    return { head: this.#head, ...this.#repro };
  }

  #parse(bytes: Uint8Array, endsWithNewline: boolean): Record<string, unknown> {
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      throw endsWithNewline ? this.#error('not UTF-8') : this.#truncated();
    }
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        return value as Record<string, unknown>;
      }
    } catch {
      if (!endsWithNewline && this.#lines > 1) throw this.#truncated();
    }
    if (this.#lines > 1) throw this.#error('not a JSON object');
    throw new ReproFileError('not a repro file: the first line is not a JSON object');
  }

  #check(value: Record<string, unknown>): ReproLine {
    const { kind } = value;
    if (this.#lines === 1) assertFormat(value);
    else this.#require(kind !== 'head', 'a second head');
    if (typeof kind !== 'string' || !Object.hasOwn(LINE_SCHEMAS, kind)) {
      throw this.#error(`unknown kind ${quote(kind)}`);
    }
    const result = LINE_SCHEMAS[kind as keyof typeof LINE_SCHEMAS].safeParse(value, WRONG_TYPE);
    if (result.success) return result.data;
    throw this.#error(problemOf(result.error));
  }

  #require(condition: boolean, message: string): void {
    if (!condition) throw this.#error(message);
  }

  #truncated(): ReproFileError {
    const position = this.#last === 0 ? 'before its first request' : `after request ${this.#last}`;
    return new ReproFileError(`the file is truncated ${position}`);
  }

  #error(message: string): ReproFileError {
    return new ReproFileError(`line ${this.#lines}: ${message}`);
  }
}

/** @throws ReproFileError for another format, and for versions that this sandlot cannot read */
function assertFormat(head: Record<string, unknown>): void {
  const { kind, format, version, sandlot, schema } = head;
  if (kind !== 'head' || format !== FORMAT) {
    const problem =
      kind === 'head' && typeof format === 'string'
        ? `its format is ${quote(format)}, not`
        : 'the first line is not a head of format';
    throw new ReproFileError(`not a repro file: ${problem} "${FORMAT}"`);
  }
  const newer = isVersionText(sandlot) ? `npx sandlot@${sandlot}` : 'a newer sandlot';
  for (const [part, fileVersion, supported] of [
    ['format', version, FORMAT_VERSION],
    ['database', schema, MIGRATIONS.length],
  ] as const) {
    if (typeof fileVersion !== 'number' || fileVersion <= supported) continue;
    throw new ReproFileError(
      `the file has version ${fileVersion} of the ${part}, and this sandlot reads ${supported}; use ${newer}`,
    );
  }
}

/** Whether a text is a version and safe in a printed command. */
function isVersionText(version: unknown): version is string {
  return (
    typeof version === 'string' && /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[a-z0-9.]{1,20})?$/.test(version)
  );
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export function recordsOf({ head, base, requests, state }: Repro): ReproLine[] {
  return [head, ...base, ...requests, ...state, { kind: 'end' }];
}

export function linesOfRepro(repro: Repro): string[] {
  return recordsOf(repro).map((record) => JSON.stringify(record));
}

export function writeRepro(repro: Repro, { compressed = true } = {}): Buffer {
  const bytes = Buffer.from(`${linesOfRepro(repro).join('\n')}\n`);
  return compressed ? zlib.gzipSync(bytes) : bytes;
}

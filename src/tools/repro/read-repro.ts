import { WRONG_TYPE } from '../../kernel/wrong-type.ts';
import { MIGRATIONS } from '../../store/migrate.ts';
import { FORMAT, FORMAT_VERSION, LINE_SCHEMAS, type Repro, type ReproLine } from './format.ts';
import { MAX_ALL_VALUES, MAX_LINE_BYTES, MAX_UNPACKED_BYTES, measureLine } from './limits.ts';
import { comparePlaces, placesOf } from './places.ts';
import type { InputRecord } from './recording/recording.ts';
import { linesOf, ReproFileError, type TextLine, unpacked } from './unpack.ts';

/** A line takes more memory than the bytes of a short one. */
const MAX_LINES = 2_000_000;
/** A recording has 10,000 requests, and the steps that follow from them. */
const MAX_INPUTS = 500_000;

export interface ReadLimits {
  maxBytes?: number;
}

/**
 * Reads a repro file, compressed or not, and checks each line while reading.
 * @throws ReproFileError
 */
export async function readRepro(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  { maxBytes = MAX_UNPACKED_BYTES }: ReadLimits = {},
): Promise<Repro> {
  const reader = new LineReader();
  try {
    for await (const line of linesOf(unpacked(source), maxBytes, MAX_LINE_BYTES)) reader.take(line);
  } catch (error) {
    if (error instanceof ReproFileError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw reader.truncated();
    if (code?.startsWith('Z_')) {
      throw new ReproFileError(`the gzip data is invalid, ${reader.position}`);
    }
    throw error;
  }
  return reader.finish();
}

/** Checks one line after the other. */
class LineReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #repro: Partial<Repro> & Pick<Repro, 'rows' | 'inputs'> = { rows: [], inputs: [] };
  readonly #numbers = new Set<number>();
  /** Acts that requests name. */
  readonly #expected: number[] = [];
  #lines = 0;
  #values = 0;
  #last = 0;

  get position(): string {
    return this.#last === 0 ? 'before its first act' : `after act ${this.#last}`;
  }

  truncated(): ReproFileError {
    if (this.#lines === 0) return new ReproFileError('the file is truncated in its first line');
    return new ReproFileError(`the file is truncated ${this.position}`);
  }

  take({ bytes, complete }: TextLine): void {
    this.#lines += 1;
    if (this.#lines > MAX_LINES) throw this.#error(`the file has more than ${MAX_LINES} lines`);
    if (this.#repro.end) throw this.#error('nothing may follow the end');
    const { values, excess } = measureLine(bytes);
    if (excess) throw this.#error(excess);
    this.#values += values;
    if (this.#values > MAX_ALL_VALUES) {
      throw this.#error(`the file has more than ${MAX_ALL_VALUES} fields and elements`);
    }
    const line = this.#check(this.#parse(bytes, complete));
    switch (line.kind) {
      case 'head':
        this.#repro.head = line;
        break;
      case 'row':
        this.#requireRows();
        this.#repro.rows.push(line);
        break;
      case 'end':
        this.#requireLines(line.lines);
        this.#repro.end = line;
        break;
      default:
        this.#requireOrder(line);
        if (this.#repro.inputs.length > MAX_INPUTS) {
          throw this.#error(`the file has more than ${MAX_INPUTS} inputs`);
        }
        this.#repro.inputs.push(line);
    }
  }

  finish(): Repro {
    const { head, rows, inputs, end } = this.#repro;
    if (this.#lines === 0) throw new ReproFileError('the file is empty');
    if (!head || !end) throw this.truncated();
    const places = new Set(placesOf(inputs).values());
    for (const [field, place] of [
      ['target', head.target],
      ['focus', head.focus[1]],
    ] as const) {
      if (places.has(place)) continue;
      throw new ReproFileError(`head: ${field}: request ${place} is not in the file`);
    }
    if (comparePlaces(...head.focus) > 0) {
      throw new ReproFileError(`head: focus: ${head.focus[0]} follows ${head.focus[1]}`);
    }
    this.#requireRequests(inputs);
    return { head, rows, inputs, end };
  }

  #parse(bytes: Buffer, complete: boolean): Record<string, unknown> {
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      throw complete ? this.#error('not UTF-8') : this.truncated();
    }
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        return value as Record<string, unknown>;
      }
    } catch {
      if (!complete && this.#lines > 1) throw this.truncated();
    }
    if (this.#lines > 1) throw this.#error('not a JSON object');
    throw new ReproFileError('not a repro file: the first line is not a JSON object');
  }

  #check(value: Record<string, unknown>): ReproLine {
    const { kind } = value;
    if (this.#lines === 1) assertFormat(value);
    else if (kind === 'head') throw this.#error('a second head');
    if (typeof kind !== 'string' || !Object.hasOwn(LINE_SCHEMAS, kind)) {
      throw this.#error(`unknown kind ${shown(kind)}`);
    }
    const result = LINE_SCHEMAS[kind as keyof typeof LINE_SCHEMAS].safeParse(value, WRONG_TYPE);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    const field = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
    throw this.#error(`${field}${issue?.message ?? 'invalid'}`);
  }

  #requireRows(): void {
    if (this.#repro.head?.base.type !== 'rows') {
      throw this.#error('a row needs the base "rows"');
    }
    if (this.#repro.inputs.length > 0) throw this.#error('a row must precede requests and acts');
  }

  #requireLines(lines: number | undefined): void {
    if (lines === undefined || lines === this.#lines) return;
    throw this.#error(
      `lines: the file has ${this.#lines}, not ${lines}; if you have edited it, leave the field out`,
    );
  }

  #requireOrder(input: InputRecord): void {
    if (input.kind === 'request') {
      const isLate = (input.acts[0] ?? input.after + 1) <= this.#last;
      if (isLate || input.acts.some((n, index) => n <= (input.acts[index - 1] ?? 0))) {
        throw this.#error(`a request must precede its acts, whose numbers ascend`);
      }
      this.#expected.push(...input.acts);
      return;
    }
    if (input.n <= this.#last) {
      throw this.#error(`n: ${input.n} follows ${this.#last}; numbers must ascend`);
    }
    this.#last = input.n;
    this.#numbers.add(input.n);
  }

  #requireRequests(inputs: readonly InputRecord[]): void {
    const missing = this.#expected.find((n) => !this.#numbers.has(n));
    if (missing !== undefined) throw new ReproFileError(`act ${missing} of a request is missing`);
    const firsts = new Set(
      inputs.flatMap((each) => (each.kind === 'request' ? (each.acts[0] ?? []) : [])),
    );
    for (const input of inputs) {
      if (input.kind !== 'act' || input.cause.type !== 'request') continue;
      if (firsts.has(input.cause.of)) continue;
      throw new ReproFileError(`act ${input.n}: no request has the first act ${input.cause.of}`);
    }
  }

  #error(message: string): ReproFileError {
    return new ReproFileError(`line ${this.#lines}: ${message}`);
  }
}

/** @throws ReproFileError for another format, and for versions that this sandlot cannot read */
function assertFormat(head: Record<string, unknown>): void {
  const { kind, format, version, sandlot, schema } = head;
  if (kind !== 'head' || format !== FORMAT) {
    throw new ReproFileError(
      kind === 'head' && typeof format === 'string'
        ? `not a repro file: its format is ${shown(format)}, not "${FORMAT}"`
        : `not a repro file: the first line is not a head of format "${FORMAT}"`,
    );
  }
  const hint = isVersionText(sandlot) ? `; use npx sandlot@${sandlot}` : '; use a newer sandlot';
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw new ReproFileError(
      `the file has version ${version} of the format, and this sandlot reads ${FORMAT_VERSION}${hint}`,
    );
  }
  if (typeof schema === 'number' && schema > MIGRATIONS.length) {
    throw new ReproFileError(
      `the file has version ${schema} of the database, and this sandlot reads ${MIGRATIONS.length}${hint}`,
    );
  }
}

/** Whether a text can be part of a command that is shown. */
export function isVersionText(version: unknown): version is string {
  return (
    typeof version === 'string' && /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[a-z0-9.]{1,20})?$/.test(version)
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

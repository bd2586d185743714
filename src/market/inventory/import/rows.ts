import { countOf } from '../../../kernel/count.ts';
import { type CodedError, validationError } from '../../../kernel/errors.ts';

export const INVENTORY_FORMATS = ['csv', 'ndjson'] as const;
export type InventoryFormat = (typeof INVENTORY_FORMATS)[number];

export function formatOfName(file: string): InventoryFormat | undefined {
  if (/\.csv$/i.test(file)) return 'csv';
  return /\.(?:ndjson|jsonl|jsonlines)$/i.test(file) ? 'ndjson' : undefined;
}

/** A row of a file before validation, or why the line is not a row. */
export type RawRow =
  | { line: number; value: Record<string, unknown> }
  | { line: number; problem: string };

/** A line after which nothing can be read, because the start of the next line is not known. */
export class UnreadableLineError extends Error {
  readonly line: number;
  constructor(line: number, problem: string) {
    super(problem);
    this.name = 'UnreadableLineError';
    this.line = line;
  }
}

const MAX_LISTED = 20;
const MAX_REASON = 200;

/** Collects the invalid lines of a file: number and reason of the first 20, and the number of all. */
export class BadLines {
  #listed: { line: number; reason: string }[] = [];
  #count = 0;

  get hasAny(): boolean {
    return this.#count > 0;
  }

  note(line: number, reason: string): void {
    this.#count += 1;
    const text = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
    this.#listed.push({ line, reason: text.toWellFormed() });
    if (this.#listed.length >= 2 * MAX_LISTED) this.#listed = this.#first();
  }

  #first(): { line: number; reason: string }[] {
    return this.#listed.toSorted((a, b) => a.line - b.line).slice(0, MAX_LISTED);
  }

  /** @param source name of the file. @throws validation_error if a line is invalid */
  assertNone(source: string): void {
    if (this.hasAny) throw this.#error(source);
  }

  #error(source: string): CodedError {
    const lines = this.#first().map(({ line, reason }) => `line ${line}: ${reason}`);
    const moreCount = this.#count - lines.length;
    const tail = moreCount === 0 ? '' : `\nand ${moreCount} more`;
    const countText = countOf(this.#count, 'bad line');
    return validationError(
      `${source}: ${countText}, nothing was imported\n${lines.join('\n')}${tail}`,
    );
  }
}

/** How an inventory is written in a file. */
export const INVENTORY_FORMATS = ['csv', 'ndjson'] as const;
export type InventoryFormat = (typeof INVENTORY_FORMATS)[number];

/** The format that a file's name tells; undefined when it tells none. */
export function formatOfName(file: string): InventoryFormat | undefined {
  if (/\.csv$/i.test(file)) return 'csv';
  return /\.(?:ndjson|jsonl|jsonlines)$/i.test(file) ? 'ndjson' : undefined;
}

/** A row of a file before anybody has looked at what it says, or why it is none. */
export type RawRow =
  | { line: number; value: Record<string, unknown> }
  | { line: number; problem: string };

/** After this line nothing can be read: where the next one begins is not known. */
export class UnreadableLineError extends Error {
  readonly line: number;
  constructor(line: number, problem: string) {
    super(problem);
    this.name = 'UnreadableLineError';
    this.line = line;
  }
}

/** Reads the rows of one format. Every text ends with a line, but for the last. */
export interface RowFormat {
  /** @throws UnreadableLineError */
  read(text: string): RawRow[];
  /** Called once all text was read. @throws UnreadableLineError */
  end(): RawRow[];
}

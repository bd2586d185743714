import type { ImportRow } from '../market/inventory/import/inventory-import.ts';
import { RowReader } from '../market/inventory/import/row-formats.ts';
import {
  type BadLines,
  type InventoryFormat,
  type RawRow,
  UnreadableLineError,
} from '../market/inventory/import/rows.ts';
import type { ListingInput } from '../market/inventory/inventory.ts';
import type { Environment } from '../store/schema/enums.ts';
import { importedListing } from './listing-fields.ts';

/** Reads listings from the chunks of a file, and notes invalid lines. */
export class ImportReader {
  readonly #environment: Environment;
  readonly #badLines: BadLines;
  readonly #rows: RowReader;
  #ended = false;

  /** Whether a line could not be read. The lines after it are not checked. */
  get ended(): boolean {
    return this.#ended;
  }

  constructor(format: InventoryFormat, environment: Environment, badLines: BadLines) {
    this.#rows = new RowReader(format);
    this.#environment = environment;
    this.#badLines = badLines;
  }

  /** Returns the rows that are complete so far. */
  push(bytes: Uint8Array): ImportRow[] {
    return this.#attempt(() => this.#rows.push(bytes));
  }

  /** Returns the rows that are complete at the end of the file. */
  end(): ImportRow[] {
    return this.#attempt(() => this.#rows.end());
  }

  #attempt(read: () => RawRow[]): ImportRow[] {
    if (this.#ended) return [];
    try {
      return read().flatMap((row) => this.#rowsOf(row));
    } catch (error) {
      if (!(error instanceof UnreadableLineError)) throw error;
      this.#ended = true;
      this.#badLines.note(error.line, `${error.message}; the lines after it were not checked`);
      return [];
    }
  }

  #rowsOf(row: RawRow): ImportRow[] {
    const { line } = row;
    const result = 'problem' in row ? row.problem : this.#inputOf(row.value);
    if (typeof result !== 'string') return [{ line, input: result }];
    this.#badLines.note(line, result);
    return [];
  }

  /** Returns the listing of a row, or the problem with it. */
  #inputOf(value: Record<string, unknown>): ListingInput | string {
    const result = importedListing.safeParse(value);
    if (!result.success) {
      const [issue] = result.error.issues;
      const field = issue?.path.join('.');
      return `${field ? `${field}: ` : ''}${issue?.message ?? 'not valid'}`;
    }
    const { environment, ...input } = result.data;
    if (environment !== undefined && environment !== this.#environment) {
      return `environment: is ${environment}, but the file goes into ${this.#environment}`;
    }
    const { floor_price_cents: floor = 0, price_cents: price } = input;
    if (floor > price) return `floor_price_cents: ${floor} is more than the price, ${price}`;
    return input;
  }
}

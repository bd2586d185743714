import fs from 'node:fs';
import { listingOfRow } from '../control/listing-fields.ts';
import { CodedError, validationError } from '../kernel/errors.ts';
import { describeFileError } from '../kernel/file-errors.ts';
import { importListings } from '../market/inventory/import-listings.ts';
import { formatOfName, readRows } from '../market/inventory/inventory-file.ts';
import type { Store } from '../store/open.ts';
import type { Config } from './schema.ts';

type InventoryFile = NonNullable<Config['inventory_files']>[number];

/**
 * Imports the configured inventory into a fresh world. A listing of a file replaces a synthetic one of the same
 * domain. Call it inside a transaction.
 * @throws validation_error that names file and line
 */
export function importFiles(store: Store, files: readonly InventoryFile[]): void {
  for (const { file, environment, format } of files) {
    const bytes = bytesOf(file);
    try {
      // The schema of the setting requires a format if the name has none.
      const rows = [...readRows(format ?? formatOfName(file) ?? 'csv', bytes)];
      const listings = rows.map((row) => listingOfRow(row, environment));
      importListings(store, environment, 'overwrite', listings);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      throw validationError(`inventory_files: ${file}: ${error.message}`);
    }
  }
}

function bytesOf(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw validationError(
      `inventory_files: ${file} cannot be read: ${describeFileError(error, 'file not found')}`,
    );
  }
}

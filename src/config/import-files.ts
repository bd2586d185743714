import fs from 'node:fs';
import { ImportReader } from '../control/import-reader.ts';
import { validationError } from '../kernel/errors.ts';
import { describeFileError } from '../kernel/file-errors.ts';
import { InventoryImport } from '../market/inventory/import/inventory-import.ts';
import { BadLines, formatOfName } from '../market/inventory/import/rows.ts';
import type { Store } from '../store/open.ts';
import type { Config } from './schema.ts';

type InventoryFile = NonNullable<Config['inventory_files']>[number];

/**
 * Imports the configured inventory into a fresh world. A listing of a file replaces a synthetic one of the same
 * domain. Call it inside a transaction.
 * @throws validation_error that names file and lines
 */
export function importFiles(store: Store, files: readonly InventoryFile[]): void {
  for (const file of files) importFile(store, file);
}

function importFile(store: Store, { file, environment, format }: InventoryFile): void {
  const bad = new BadLines();
  const reader = new ImportReader(format ?? formatOfName(file) ?? 'csv', environment, bad);
  const rows = new InventoryImport(store, environment, 'upsert', bad);
  rows.add(reader.push(read(file)));
  rows.add(reader.end());
  rows.apply(`inventory_files: ${file}`);
}

function read(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw validationError(
      `inventory_files: ${file} cannot be read: ${describeFileError(error, 'file not found')}`,
    );
  }
}

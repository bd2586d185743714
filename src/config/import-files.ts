import fs from 'node:fs';
import { ImportReader } from '../control/import-reader.ts';
import { validationError } from '../kernel/errors.ts';
import { describeFileError } from '../kernel/file-errors.ts';
import { InventoryImport } from '../market/inventory/import/inventory-import.ts';
import { BadLines, formatOfName } from '../market/inventory/import/rows.ts';
import type { Store } from '../store/open.ts';
import type { Config } from './schema.ts';

type InventoryFile = NonNullable<Config['inventory_files']>[number];

const PIECE = 64 * 1024;

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
  for (const piece of piecesOf(file)) rows.add(reader.push(piece));
  rows.add(reader.end());
  rows.apply(`inventory_files: ${file}`);
}

function* piecesOf(file: string): Generator<Uint8Array> {
  const buffer = Buffer.alloc(PIECE);
  let handle: number | undefined;
  try {
    handle = fs.openSync(file, 'r');
    for (;;) {
      const size = fs.readSync(handle, buffer);
      if (size === 0) return;
      yield buffer.subarray(0, size);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw validationError(
      `inventory_files: ${file} cannot be read: ${describeFileError(error, 'file not found')}`,
    );
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

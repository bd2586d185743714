import { z } from 'zod';
import { validationError } from '../kernel/errors.ts';
import { jsonResource, type Output } from '../kernel/resource.ts';
import { nextTurn } from '../kernel/timers.ts';
import { type ImportRow, importListings } from '../market/inventory/import-listings.ts';
import {
  INVENTORY_FORMATS,
  type InventoryFormat,
  readRows,
} from '../market/inventory/inventory-file.ts';
import { ENVIRONMENTS, IMPORT_MODES } from '../store/schema/enums.ts';
import { named, post } from './endpoint.ts';
import { inEnvironment, listingOfRow } from './listing-fields.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** How many rows are checked per event-loop tick, so that other requests are handled in between. */
const ROWS_PER_TICK = 500;

const FORMAT_OF_TYPE: Readonly<Record<string, InventoryFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/json-lines': 'ndjson',
};

const count = () => z.int().min(0);

const imported = jsonResource(
  'Imported',
  'The number of imported rows, by what happened to them.',
  () => ({
    environment: z.enum(ENVIRONMENTS),
    mode: z.enum(IMPORT_MODES),
    format: z.enum(INVENTORY_FORMATS),
    rows: count(),
    added: count(),
    removed: count(),
  }),
);
export type Imported = Output<typeof imported>;

export const importEndpoints = named({
  postImport: post('/inventory/import', {
    summary: 'Import CSV or JSON Lines, all or nothing.',
    description: 'At most 64 MiB. The message names the first invalid line.',
    query: () =>
      inEnvironment.extend({
        mode: z
          .enum(IMPORT_MODES)
          .default('add')
          .describe(
            '`add` rejects domains that exist, `replace` makes the file the whole inventory.',
          ),
        format: z
          .enum(INVENTORY_FORMATS)
          .optional()
          .describe('Format of the body; by default that of its Content-Type.'),
      }),
    takesStream: true,
    streamTypes: Object.keys(FORMAT_OF_TYPE),
    response: imported,
    async handle({ world, request, query: { environment, mode, ...query }, upload }) {
      const format = query.format ?? formatOf(upload.contentType);
      const rows: ImportRow[] = [];
      for (const rawRow of readRows(format, await bytesOf(upload.chunks))) {
        rows.push(listingOfRow(rawRow, environment));
        if (rows.length % ROWS_PER_TICK === 0) await nextTurn();
      }
      // `importListings` takes the store, not `tx`: both use one connection, so the transaction includes it.
      const importRows = () => importListings(world.store, environment, mode, rows);
      const counts = world.transaction(importRows, request);
      return { environment, mode, format, ...counts };
    },
  }),
});

/** @throws validation_error for an empty body, or one over the limit, of which the rest is not read */
async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) throw validationError('body: larger than 64 MiB; split the file');
  }
  if (size === 0) throw validationError('body: is empty; send the rows as CSV or JSON Lines');
  return Buffer.concat(pieces);
}

/** @throws validation_error */
function formatOf(contentType: string | undefined): InventoryFormat {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const format = Object.hasOwn(FORMAT_OF_TYPE, type) ? FORMAT_OF_TYPE[type] : undefined;
  if (format !== undefined) return format;
  throw validationError(
    'format: unknown; send Content-Type: text/csv or application/x-ndjson, or pass ?format=csv or ?format=ndjson',
  );
}

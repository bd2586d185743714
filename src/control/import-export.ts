import { oneOf } from '../http/fields.ts';
import { conflict, validationError } from '../kernel/errors.ts';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import { type ImportCounts, InventoryImport } from '../market/inventory/import/inventory-import.ts';
import { exportHead, exportLine, listingsAfter } from '../market/inventory/import/row-formats.ts';
import {
  BadLines,
  INVENTORY_FORMATS,
  type InventoryFormat,
} from '../market/inventory/import/rows.ts';
import {
  ENVIRONMENTS,
  type Environment,
  IMPORT_MODES,
  type ImportMode,
} from '../store/schema/enums.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';
import { get, named, post } from './endpoint.ts';
import { ImportReader } from './import-reader.ts';
import { inEnvironment } from './listing-fields.ts';

/** How many bytes are read per event-loop tick, so that other requests are handled in between. */
const SLICE_BYTES = 16 * 1024;

const FORMAT_OF_TYPE: Readonly<Record<string, InventoryFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/json-lines': 'ndjson',
};

const TYPE_OF_FORMAT: Record<InventoryFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

const imported = resource(
  'Imported',
  'The number of imported rows, by what happened to them.',
  ({ oneOf, count }: Fields<ImportedRow>) => ({
    environment: oneOf(ENVIRONMENTS),
    mode: oneOf(IMPORT_MODES),
    format: oneOf(INVENTORY_FORMATS),
    rows: count(),
    added: count(),
    updated: count(),
    removed: count(),
  }),
);
export type Imported = Output<typeof imported>;

interface ImportedRow extends ImportCounts {
  environment: Environment;
  mode: ImportMode;
  format: InventoryFormat;
}

export const importExportEndpoints = named({
  postImport: post('/inventory/import', {
    summary: 'Import CSV or JSON Lines of any size, all or nothing.',
    description:
      'The body is read as a stream, without a size limit. If any line is invalid, nothing is imported and the message names the first invalid lines. 409 `conflict` if the world is reset or deleted meanwhile; nothing is imported then.',
    query: () =>
      inEnvironment.extend({
        mode: oneOf(IMPORT_MODES)
          .default('add')
          .describe(
            '`add` rejects domains that exist, `upsert` changes them, `replace` also removes what the file lacks.',
          ),
        format: oneOf(INVENTORY_FORMATS)
          .optional()
          .describe('Format of the body; by default that of its Content-Type.'),
      }),
    takesStream: true,
    streamTypes: Object.keys(FORMAT_OF_TYPE),
    response: imported,
    async handle({
      world,
      cause,
      context,
      query: { environment, mode, format: requestedFormat },
      upload,
    }) {
      const format = requestedFormat ?? formatOf(upload.contentType);
      const badLines = new BadLines();
      const reader = new ImportReader(format, environment, badLines);
      const { rows: inventoryImport, assertSame } = await world.act(cause, () => ({
        rows: new InventoryImport(world.store, environment, mode, badLines),
        assertSame: assertSameState(world, context.worlds),
      }));
      const stage = <T>(act: () => T) =>
        world.unrecorded(() => {
          assertSame();
          return act();
        });
      let failure: { error: unknown } | undefined;
      try {
        let size = 0;
        for await (const chunk of upload.chunks) {
          if (reader.ended) break;
          size += chunk.length;
          for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
            const rows = reader.push(chunk.subarray(at, at + SLICE_BYTES));
            await stage(() => inventoryImport.add(rows));
          }
        }
        if (size === 0) throw validationError('body: is empty');
        const lastRows = reader.end();
        await stage(() => inventoryImport.add(lastRows));
      } catch (error) {
        failure = { error };
      }
      try {
        if (world.isClosed) assertSame();
        const counts = await world.act(cause, () => {
          assertSame();
          if (failure) throw failure.error;
          return inventoryImport.apply('body');
        });
        return { environment, mode, format, ...counts };
      } catch (error) {
        // If the world is gone, so is the table.
        await stage(() => inventoryImport.drop()).catch(() => {});
        throw error;
      }
    },
  }),

  getExport: get('/inventory/export', {
    summary:
      'Export the inventory of an environment as CSV or JSON Lines, in the format of an import.',
    description:
      'Streams rows that an import accepts. The stream ends early if the world is reset or deleted.',
    query: () =>
      inEnvironment.extend({
        format: oneOf(INVENTORY_FORMATS).default('csv').describe('Format of the response.'),
      }),
    streamTypes: ['text/csv', 'application/x-ndjson'],
    handle: ({ world, context, query: { environment, format } }) =>
      new Response(exportStream(world, context.worlds, environment, format), {
        headers: { 'Content-Type': TYPE_OF_FORMAT[format] },
      }),
  }),
});

/** @throws validation_error */
function formatOf(contentType: string | undefined): InventoryFormat {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const format = FORMAT_OF_TYPE[type];
  if (format !== undefined) return format;
  throw validationError(
    'format: unknown; send Content-Type: text/csv or application/x-ndjson, or pass ?format=csv or ?format=ndjson',
  );
}

/**
 * Streams the lines at the pace of the client. The export is not a snapshot: it may contain changes that are made
 * meanwhile. If the world is reset or deleted, the stream fails, so that a partial export is not mistaken for a whole
 * one.
 */
function exportStream(
  world: World,
  worlds: Worlds,
  environment: Environment,
  format: InventoryFormat,
): ReadableStream<Uint8Array> {
  const assertSame = assertSameState(world, worlds);
  const encoder = new TextEncoder();
  let lastId = 0;
  return new ReadableStream({
    start(controller) {
      const head = exportHead(format);
      if (head !== '') controller.enqueue(encoder.encode(head));
    },
    async pull(controller) {
      const rows = await world.unrecorded((tx) => {
        assertSame();
        return listingsAfter(tx, environment, lastId);
      });
      const lastRow = rows.at(-1);
      if (!lastRow) return controller.close();
      lastId = lastRow.id;
      controller.enqueue(encoder.encode(rows.map((row) => exportLine(format, row)).join('')));
    },
  });
}

/**
 * Returns a function that asserts that the world was not reset, restored or deleted since.
 * @throws conflict
 */
function assertSameState(world: World, worlds: Worlds): () => void {
  const { stateVersion } = world;
  return () => {
    if (worlds.find(world.name) === world && world.stateVersion === stateVersion) return;
    throw conflict(`world: ${world.name} was reset or deleted meanwhile`);
  };
}

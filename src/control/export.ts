import { z } from 'zod';
import { oneOf } from '../http/fields.ts';
import { exportHead, exportLine, listingsAfter } from '../market/inventory/import/row-formats.ts';
import { INVENTORY_FORMATS, type InventoryFormat } from '../market/inventory/import/rows.ts';
import { ENVIRONMENTS, type Environment } from '../store/schema/enums.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';
import { get, named } from './endpoint.ts';
import { assertThere } from './while-there.ts';

const CONTENT_TYPE: Record<InventoryFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

export const exportEndpoints = named({
  getExport: get('/inventory/export', {
    summary:
      'Export the inventory of an environment as CSV or JSON Lines, in the format of an import.',
    description:
      'Streams rows that an import accepts. The stream ends early if the world is reset or deleted.',
    query: () =>
      z.object({
        environment: oneOf(ENVIRONMENTS)
          .default('SANDBOX')
          .describe('Environment of the listings; SANDBOX and LIVE share none.'),
        format: oneOf(INVENTORY_FORMATS).default('csv').describe('Format of the response.'),
      }),
    streamTypes: ['text/csv', 'application/x-ndjson'],
    handle: ({ world, context, query: { environment, format } }) =>
      new Response(exported(world, context.worlds, environment, format), {
        headers: { 'Content-Type': CONTENT_TYPE[format] },
      }),
  }),
});

/**
 * Streams the lines at the pace of the client. It is not a snapshot: a row that changes meanwhile is shown as it is
 * when it is reached. If the world is reset or deleted, the stream fails, so that a partial export is not mistaken for a
 * whole one.
 */
function exported(
  world: World,
  worlds: Worlds,
  environment: Environment,
  format: InventoryFormat,
): ReadableStream<Uint8Array> {
  const assertSame = assertThere(world, worlds);
  const encoder = new TextEncoder();
  let after = 0;
  return new ReadableStream({
    start(controller) {
      const head = exportHead(format);
      if (head !== '') controller.enqueue(encoder.encode(head));
    },
    async pull(controller) {
      const rows = await world.unrecorded((tx) => {
        assertSame();
        return listingsAfter(tx, environment, after);
      });
      const last = rows.at(-1);
      if (!last) return controller.close();
      after = last.id;
      controller.enqueue(encoder.encode(rows.map((row) => exportLine(format, row)).join('')));
    },
  });
}

import { z } from 'zod';
import { requiredText } from '../http/fields.ts';
import { exportWorld } from '../world/export-world.ts';
import { world } from '../world/resources.ts';
import { controlEndpoint, controlEndpoints } from './endpoint.ts';

const CONTENT_TYPE = 'application/vnd.sqlite3';

export const worldFileEndpoints = controlEndpoints({
  exportWorld: controlEndpoint({
    method: 'GET',
    path: '/worlds/:name/export',
    summary: 'Exports a world as one consistent file, secrets included, while it goes on.',
    params: () => z.object({ name: z.string() }),
    streamTypes: [CONTENT_TYPE],
    errors: { conflict: '' },
    async handle({ context, params, signal }) {
      const { size, stream } = await exportWorld(context.worlds.require(params.name), signal);
      return new Response(stream, {
        headers: {
          'Content-Type': CONTENT_TYPE,
          'Content-Length': String(size),
          'Content-Disposition': `attachment; filename="${params.name}.db"`,
          'Cache-Control': 'no-store',
        },
      });
    },
  }),

  importWorld: controlEndpoint({
    method: 'POST',
    path: '/worlds/import',
    summary: 'Imports a world from a file that an export has written, whole or not at all.',
    query: () => z.object({ name: requiredText(63).optional() }),
    takesStream: true,
    streamTypes: [CONTENT_TYPE],
    errors: { conflict: '' },
    status: 201,
    response: world,
    async handle({ context: { worlds }, query, upload }) {
      const received = worlds.receive();
      try {
        await received.receive(upload.chunks);
        return worlds.import(received, query.name);
      } finally {
        received.discard();
      }
    },
  }),
});

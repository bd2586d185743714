import { z } from 'zod';
import { storedName } from '../http/fields.ts';
import { world } from '../world/resources.ts';
import { receiveWorldFile } from '../world/world-file.ts';
import { fileResponse, get, named, post } from './endpoint.ts';

const CONTENT_TYPE = 'application/vnd.sqlite3';

export const worldFileEndpoints = named({
  exportWorld: get('/worlds/:name/export', {
    summary: 'Export a world as one consistent file, secrets included.',
    description:
      'A copy of the world as of now: an SQLite database with everything except snapshots and the request log. It contains the secrets of credentials and webhooks, so keep it private.',
    streamTypes: [CONTENT_TYPE],
    handle({ context, params }) {
      const bytes = context.worlds.require(params.name).serialize();
      return fileResponse(bytes, CONTENT_TYPE, `${params.name}.db`);
    },
  }),

  importWorld: post('/worlds/import', {
    summary: 'Import a world from the file of an export, whole or not at all.',
    description:
      'The body is the file of an export. The world keeps its credentials and IDs, and its clock and pending deliveries go on as after a restart. The file is verified before anything changes. 409 `conflict` if the name or a key ID is taken; `name` imports it under another name, under which its checkout, referral and progress links change.',
    query: () =>
      z.object({
        name: storedName()
          .optional()
          .describe('Name of the new world; by default that in the file.'),
      }),
    takesStream: true,
    logsBody: false,
    streamTypes: [CONTENT_TYPE],
    status: 201,
    recordsRuns: false,
    response: world,
    async handle({ context: { worlds }, query, upload }) {
      return worlds.import(await receiveWorldFile(upload.chunks), query.name);
    },
  }),
});

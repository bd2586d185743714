import { isNotNull } from 'drizzle-orm';
import { z } from 'zod';
import type { Reachable } from '../faults/path-pattern.ts';
import { type FaultInput, validateFault } from '../faults/validate-fault.ts';
import { requiredText } from '../http/fields.ts';
import { validationError } from '../kernel/errors.ts';
import type { Store } from '../store/open.ts';
import { deliveries } from '../store/schema/events.ts';
import { faults } from '../store/schema/faults.ts';
import { receiveWorldFile } from '../world/received-world.ts';
import { world } from '../world/resources.ts';
import { get, named, post } from './endpoint.ts';
import { newFault } from './fault-input.ts';

const CONTENT_TYPE = 'application/vnd.sqlite3';

export const worldFileEndpoints = named({
  exportWorld: get('/worlds/:name/export', {
    summary: 'Export a world as one consistent file, secrets included.',
    description:
      'A copy of the world as of now: an SQLite database with everything except snapshots and the request log. It contains the secrets of credentials and webhooks, so keep it private.',
    streamTypes: [CONTENT_TYPE],
    handle({ context, params }) {
      const exportedWorld = context.worlds.require(params.name);
      const bytes = exportedWorld.serialize();
      return new Response(new Uint8Array(bytes), {
        headers: {
          'Content-Type': CONTENT_TYPE,
          'Content-Length': String(bytes.length),
          'Content-Disposition': `attachment; filename="${params.name}.db"`,
          'Cache-Control': 'no-store',
        },
      });
    },
  }),

  importWorld: post('/worlds/import', {
    summary: 'Import a world from the file of an export, whole or not at all.',
    description:
      'The body is the file of an export. The world keeps its credentials and IDs, and its clock and pending deliveries go on as after a restart. The file is verified before anything changes. 409 `conflict` if the name or a key ID is taken; `name` imports it under another name, under which its checkout, referral and progress links change.',
    query: () =>
      z.object({
        name: requiredText(63)
          .optional()
          .describe('Name of the new world; by default that in the file.'),
      }),
    takesStream: true,
    streamTypes: [CONTENT_TYPE],
    status: 201,
    entersWorld: false,
    response: world,
    async handle({ context: { worlds, partnerEndpoints }, query, upload }) {
      return worlds.import(await receiveWorldFile(upload.chunks), {
        ...query,
        verify: (store) => assertUsableFaults(store, partnerEndpoints),
      });
    },
  }),
});

/** Asserts that the faults of an imported world could have been added here. @throws validation_error */
function assertUsableFaults({ db }: Store, endpoints: readonly Reachable[]): void {
  for (const { id, match, effect, webhook, times } of db.select().from(faults).all()) {
    const fault = { match, ...(effect ? { effect } : { webhook }), ...(times && { times }) };
    const problem = problemOf(fault, (input) => validateFault(input, endpoints)?.message);
    if (problem !== undefined) throw damagedFile('faults', id, problem);
  }
  for (const { id, fault } of db
    .select()
    .from(deliveries)
    .where(isNotNull(deliveries.fault))
    .all()) {
    const problem = problemOf({ match: {}, webhook: fault?.webhook });
    if (problem !== undefined) throw damagedFile('deliveries', id, problem);
  }
}

function problemOf(
  fault: object,
  validate: (input: FaultInput) => string | undefined = () => undefined,
): string | undefined {
  const { success, data, error } = newFault().safeParse(fault);
  return success ? validate(data) : error.issues[0]?.message;
}

function damagedFile(table: string, id: string, problem: string) {
  return validationError(
    `file: damaged (an invalid fault in table ${table}, row ${JSON.stringify(id)}: ${problem}); export the world again`,
  );
}

import { z } from 'zod';
import { conflict } from '../kernel/errors.ts';
import { documented } from '../kernel/resource.ts';
import { isoTime } from '../kernel/time.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { findCredential } from '../market/partners/credentials.ts';
import { listingCounts } from '../store/schema/daily-totals.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { VERSION } from '../version.ts';
import { clock } from '../world/resources.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, controlEndpoint } from './endpoint.ts';
import { healthSchema, statusSchema, stoppingSchema } from './status-schema.ts';

export const getHealth = controlEndpoint({
  name: 'getHealth',
  method: 'GET',
  path: '/health',
  summary: 'Answers as soon as the sandbox takes requests. Needs no control token.',
  public: true,
  status: 200,
  response: documented(healthSchema),
  handle({ world }) {
    world.assertFileInPlace();
    return { status: 'ok' };
  },
});

export const getStatus = controlEndpoint({
  name: 'getStatus',
  method: 'GET',
  path: '/status',
  summary: 'What is running: address, version, seed, inventory, clock and the default credential.',
  status: 200,
  response: documented(statusSchema),
  handle({ world, context }) {
    world.assertFileInPlace();
    return statusView(world, context);
  },
});

export const postStop = controlEndpoint({
  name: 'postStop',
  method: 'POST',
  path: '/stop',
  logged: false,
  summary: 'Finishes what is in flight, closes the database and ends the server.',
  body: () => z.strictObject({}),
  errors: { conflict: '' },
  status: 200,
  response: documented(stoppingSchema),
  handle({ context }) {
    if (!context.stop) {
      throw conflict('this sandbox ends with the process that holds it');
    }
    context.stop();
    return { stopping: true };
  },
});

export type Status = ReturnType<typeof statusView>;

/** What `GET /status` answers, of one world. */
export function statusView(
  world: World,
  { about, worlds }: Pick<ControlContext, 'about' | 'worlds'>,
) {
  const url = about.baseUrl();
  const found = world.read((tx) => ({
    inventory: inventoryCounts(tx),
    credential: findCredential(tx, DEFAULT_CREDENTIAL.keyId),
  }));
  const credential = found.credential && {
    key_id: found.credential.keyId,
    secret: found.credential.secret,
  };
  return {
    url,
    version: VERSION,
    pid: process.pid,
    seed: world.identity.seed,
    world: world.name,
    worlds: worlds.list().map((each) => each.name),
    unusable_worlds: worlds.unusable(),
    inventory: found.inventory,
    clock: clock.view(world.clock),
    credential: credential ?? null,
    env: {
      SANDLOT_URL: url,
      ...(credential && {
        SANDLOT_KEY_ID: credential.key_id,
        SANDLOT_SECRET: credential.secret,
      }),
    },
    dashboard_url: `${url}/_sandbox/`,
    data_dir: about.dataDir,
    started_at: isoTime(about.startedAt),
  };
}

function inventoryCounts(tx: Tx): Record<string, { listed: number; sold: number }> {
  const rows = tx.db.select().from(listingCounts).all();
  const countOf = (environment: string, status: string) =>
    rows.find((row) => row.environment === environment && row.status === status)?.count ?? 0;
  return Object.fromEntries(
    ENVIRONMENTS.map((environment) => [
      environment,
      { listed: countOf(environment, 'listed'), sold: countOf(environment, 'sold') },
    ]),
  );
}

import { z } from 'zod';
import { conflict } from '../kernel/errors.ts';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import { schemaMetadata } from '../kernel/schema-metadata.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { countListings } from '../market/inventory/listings.ts';
import { countOrders } from '../market/orders/orders.ts';
import { findCredential } from '../market/partners/credentials.ts';
import { DELIVERY_STATUSES, type DeliveryStatus, type Environment } from '../store/schema/enums.ts';
import { ORDER_STATUSES, type OrderStatus } from '../store/schema/order-states.ts';
import { VERSION } from '../version.ts';
import { countDeliveries } from '../webhooks/deliveries.ts';
import { clock } from '../world/resources.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, get, named, post } from './endpoint.ts';

type StatusContext = Pick<ControlContext, 'server' | 'rateLimits'>;

interface StatusRow extends StatusContext {
  world: World;
  inventory: Record<Environment, Record<'listed' | 'sold', number>>;
  orders: Record<OrderStatus, number>;
  deliveries: Record<DeliveryStatus, number>;
  credential: { key_id: string; secret: string } | null;
}

const inventoryCount = resource(
  'InventoryCount',
  'The number of listed and sold domains.',
  ({ count }: Fields<{ listed: number; sold: number }>) => ({ listed: count(), sold: count() }),
);

const status = resource(
  'Status',
  'The running sandbox.',
  ({ url, text, count, object, value }: Fields<StatusRow>) => ({
    url: url().from(({ server }) => server.address()),
    version: text().from(() => VERSION),
    pid: count().from(() => process.pid),
    seed: text().from(({ world }) => world.identity.seed),
    world: text().from(({ world }) => world.name),
    inventory: value(() =>
      z.object({ SANDBOX: inventoryCount.schema(), LIVE: inventoryCount.schema() }),
    ),
    orders: value(() => countsBy(ORDER_STATUSES)),
    deliveries: value(() => countsBy(DELIVERY_STATUSES)),
    clock: object(clock).from(({ world }) => world.clock),
    credential: value(() => z.object({ key_id: z.string(), secret: z.string() }).nullable()),
    env: value(variablesSchema).from(variablesOf),
    dashboard_url: url().from(({ server }) => `${server.address()}/_sandbox/`),
    data_dir: text()
      .nullable()
      .from(({ server }) => server.dataDir),
    working_dir: text()
      .nullable()
      .from(({ server }) => server.workingDir),
    rate_limits: value(rateLimitsSchema),
  }),
);
export type Status = Output<typeof status>;

const health = resource('Health', 'The sandbox accepts requests.', ({ constant }) => ({
  status: constant('ok'),
}));

const stopping = resource('Stopping', 'The server is stopping.', ({ constant }) => ({
  stopping: constant(true),
}));

export const statusEndpoints = named({
  getHealth: get('/health', {
    summary: 'Check that the sandbox accepts requests. Needs no control token.',
    public: true,
    response: health,
    handle: () => ({}),
  }),

  getStatus: get('/status', {
    summary:
      'Show the running sandbox: address, version, seed, inventory, clock and default credential.',
    response: status,
    handle: ({ world, context }) => statusRow(world, context),
  }),

  postStop: post('/stop', {
    logged: false,
    summary: 'Stop the server once the requests in flight are finished.',
    description:
      'Requests in flight are finished and the database is closed. 409 `conflict` for a sandbox that ends with the process that holds it. Not in the request log.',
    response: stopping,
    handle({ context }) {
      if (!context.stop) throw conflict('this sandbox stops when the process that runs it exits');
      context.stop();
      return {};
    },
  }),
});

export function statusOf(world: World, context: StatusContext): Status {
  return status.view(statusRow(world, context));
}

function statusRow(world: World, context: StatusContext): StatusRow {
  return world.read((tx) => {
    const key = findCredential(tx, DEFAULT_CREDENTIAL.keyId);
    const credential = key ? { key_id: key.keyId, secret: key.secret } : null;
    return {
      ...context,
      world,
      inventory: countListings(tx),
      orders: countOrders(tx),
      deliveries: countDeliveries(tx),
      credential,
    };
  });
}

function countsBy<Value extends string>(values: readonly Value[]) {
  const counts = values.map((value) => [value, z.int().min(0)] as const);
  return z
    .object(Object.fromEntries(counts) as Record<Value, z.ZodInt>)
    .describe('How many there are in each state.');
}

function rateLimitsSchema() {
  const limit = () => z.int().nullable();
  return z
    .object({ search: limit(), write: limit(), reporting: limit(), default: limit() })
    .describe('Requests per minute and credential by class; null without a limit.');
}

function variablesSchema() {
  return z.object({
    SANDLOT_URL: z.string().register(schemaMetadata, { format: 'uri' }),
    SANDLOT_KEY_ID: z.string().optional(),
    SANDLOT_SECRET: z.string().optional(),
  });
}

/** Returns the environment variables for a command that uses the sandbox. */
function variablesOf({ server, credential }: StatusRow) {
  return {
    SANDLOT_URL: server.address(),
    ...(credential && { SANDLOT_KEY_ID: credential.key_id, SANDLOT_SECRET: credential.secret }),
  };
}

import { z } from 'zod';
import { address, count, record, time } from '../kernel/answer.ts';
import { clock } from '../world/resources.ts';

export const healthSchema = record('Health', { says: 'It takes requests.' }, () => ({
  status: z.literal('ok'),
}));

export const stoppingSchema = record('Stopping', { says: 'The server ends.' }, () => ({
  stopping: z.literal(true),
}));

const inventoryCountSchema = record(
  'InventoryCount',
  { says: 'How many domains are listed, and how many were sold.' },
  () => ({ listed: count(), sold: count() }),
);

const unusableWorldSchema = record(
  'UnusableWorld',
  { says: 'A world whose file could not be used when the server started. The file is as it was.' },
  () => ({ name: z.string(), problem: z.string() }),
);

export const statusSchema = record('Status', { says: 'What is running.' }, () => ({
  url: address(),
  version: z.string(),
  pid: count(),
  seed: z.string(),
  world: z.string(),
  worlds: z.array(z.string()),
  unusable_worlds: z.array(unusableWorldSchema()),
  inventory: z.object({ SANDBOX: inventoryCountSchema(), LIVE: inventoryCountSchema() }),
  clock: clock.schema(),
  credential: z.object({ key_id: z.string(), secret: z.string() }).nullable(),
  env: z.object({
    SANDLOT_URL: address(),
    SANDLOT_KEY_ID: z.string().optional(),
    SANDLOT_SECRET: z.string().optional(),
  }),
  dashboard_url: address(),
  data_dir: z.string().nullable(),
  started_at: time(),
}));

import { clockEndpoints } from './clock.ts';
import { comparisonEndpoints } from './comparisons.ts';
import { credentialEndpoints } from './credentials.ts';
import { documentEndpoints } from './documents.ts';
import type { ControlEndpoint } from './endpoint.ts';
import { eventEndpoints } from './events.ts';
import { faultEndpoints } from './faults.ts';
import { findEndpoints } from './find.ts';
import { fireEndpoints } from './fire.ts';
import { importEndpoints } from './import.ts';
import { inventoryEndpoints } from './inventory.ts';
import { moneyEndpoints } from './money.ts';
import { orderEndpoints } from './orders.ts';
import { requestEndpoints } from './requests.ts';
import { saleEndpoints } from './sales.ts';
import { snapshotEndpoints } from './snapshots.ts';
import { statusEndpoints } from './status.ts';
import { streamEndpoints } from './streams.ts';
import { waitEndpoints } from './wait.ts';
import { webhookEndpoints } from './webhooks.ts';
import { worldFileEndpoints } from './world-files.ts';
import { worldEndpoints } from './worlds.ts';

const TABLES = [
  statusEndpoints,
  documentEndpoints,
  credentialEndpoints,
  importEndpoints,
  inventoryEndpoints,
  orderEndpoints,
  saleEndpoints,
  moneyEndpoints,
  eventEndpoints,
  webhookEndpoints,
  fireEndpoints,
  requestEndpoints,
  comparisonEndpoints,
  findEndpoints,
  faultEndpoints,
  clockEndpoints,
  waitEndpoints,
  worldEndpoints,
  worldFileEndpoints,
  snapshotEndpoints,
  streamEndpoints,
] as const;

/** Every endpoint of the control API except those of tools, in the order of its document. If two paths match, the first one is used. */
export const CONTROL_ENDPOINTS: readonly ControlEndpoint[] = TABLES.flatMap(
  (table): ControlEndpoint[] => Object.values(table),
);

type ValueOf<Table> = Table extends unknown ? Table[keyof Table] : never;

/** The type of each of these endpoints, with its route and response. */
export type KnownEndpoint = ValueOf<(typeof TABLES)[number]>;

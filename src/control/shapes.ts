import type { eventView } from '../events/record-event.ts';
import type { Output } from '../kernel/resource.ts';
import type { ImportCounts } from '../market/inventory/import/staging.ts';
import type { ControlListing } from '../market/inventory/listing.ts';
import type { ControlOrder, ControlOrderDetail, WhyNot } from '../market/orders/order.ts';
import type { ControlCredential, credentialWithSecret } from '../market/partners/credential.ts';
import type { requestDetailView, requestView } from '../requests/views.ts';
import type { deliveryView } from '../webhooks/deliveries.ts';
import type { FireResult } from '../webhooks/fire.ts';
import type { ControlClock, ControlSnapshot, ControlWorld } from '../world/resources.ts';
import type { UpcomingItem } from './clock.ts';
import type { operatorView } from './webhooks.ts';

/** What the control door answers, read from the code that answers it. */

export interface Owned {
  partner_id: string;
  environment: string;
}

export interface Page {
  next_cursor: string | null;
}

export type CredentialShape = ControlCredential;
export type CredentialWithSecretShape = Output<typeof credentialWithSecret>;
export type ListingShape = ControlListing;
export type ImportShape = ImportCounts & { environment: string; mode: string; format: string };
export type OrderShape = ControlOrder;
export type OrderDetailShape = ControlOrderDetail;
export type EventShape = ReturnType<typeof eventView> & Owned & { subject_id: string };
export type DeliveryShape = ReturnType<typeof deliveryView>;
export type RegistrationShape = ReturnType<typeof operatorView>;
export type ClockShape = ControlClock;
export type RequestShape = ReturnType<typeof requestView>;
export type RequestDetailShape = ReturnType<typeof requestDetailView>;
export type WhyNotShape = WhyNot;
export type FireShape = FireResult;

export type UpcomingShape = UpcomingItem;

export type WorldShape = ControlWorld;

export type SnapshotShape = ControlSnapshot;

export interface StatusShape {
  url: string;
  version: string;
  pid: number;
  seed: string;
  world: string;
  worlds: string[];
  unusable_worlds: { name: string; problem: string }[];
  inventory: Record<string, { listed: number; sold: number }>;
  clock: ClockShape;
  credential: { key_id: string; secret: string } | null;
  env: Record<string, string>;
  dashboard_url: string;
  data_dir: string | null;
  started_at: string;
}

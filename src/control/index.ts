import { getStream } from './change-stream.ts';
import {
  getClock,
  getClockUpcoming,
  postClockAdvance,
  postClockFreeze,
  postClockNext,
  postClockResume,
  postClockSet,
} from './clock.ts';
import { postClockUntil } from './clock-until.ts';
import {
  deleteCredential,
  getCredential,
  getCredentials,
  postCredential,
  postCredentialApprove,
} from './credentials.ts';
import type { ControlEndpoint } from './endpoint.ts';
import {
  getAllEvents,
  getDeliveries,
  getDelivery,
  postDeliveryRetry,
  postEventResend,
} from './events.ts';
import { getExport } from './export.ts';
import { deleteFault, deleteFaults, getFault, getFaults, postFault } from './faults.ts';
import { postWebhooksFire } from './fire.ts';
import { postImport } from './import.ts';
import { deleteListing, getInventory, getListing, patchListing, postListing } from './inventory.ts';
import {
  postBrokerageAdvance,
  postCheckoutCancel,
  postCheckoutPay,
  postPayoutsRun,
  postSettlementsRun,
  postTransactionDeliver,
  postTransactionRefund,
} from './money.ts';
import { getOpenapi } from './openapi.ts';
import { getAllOrders, getAnyOrder, getOrderWhyNot, postOrderAdvance } from './orders.ts';
import { getReference, getReferenceAsset } from './reference.ts';
import {
  deleteRequests,
  getRequest,
  getRequestCurl,
  getRequestMarkdown,
  getRequestStream,
  getRequests,
} from './requests.ts';
import { deleteSnapshot, getSnapshots, postSnapshot, postSnapshotRestore } from './snapshots.ts';
import { getHealth, getStatus, postStop } from './status.ts';
import { postIdle, postWait } from './wait.ts';
import { deleteWebhooks, getWebhooks, putWebhooks } from './webhooks.ts';
import {
  deleteWorld,
  getWorld,
  getWorlds,
  postRateLimitsReset,
  postReset,
  postWorld,
} from './worlds.ts';

/** Every route of the control door. */
export const CONTROL_ENDPOINTS: readonly ControlEndpoint[] = [
  getHealth,
  getStatus,
  getStream,
  postStop,
  getOpenapi,
  getReference,
  getReferenceAsset,
  postCredential,
  getCredentials,
  getCredential,
  postCredentialApprove,
  deleteCredential,
  getInventory,
  postListing,
  postImport,
  getExport,
  getListing,
  patchListing,
  deleteListing,
  getAllOrders,
  getAnyOrder,
  postOrderAdvance,
  getOrderWhyNot,
  postSettlementsRun,
  postPayoutsRun,
  postCheckoutPay,
  postCheckoutCancel,
  postTransactionDeliver,
  postTransactionRefund,
  postBrokerageAdvance,
  getAllEvents,
  postEventResend,
  getDeliveries,
  getDelivery,
  postDeliveryRetry,
  putWebhooks,
  getWebhooks,
  deleteWebhooks,
  postWebhooksFire,
  getRequests,
  getRequestStream,
  getRequest,
  getRequestMarkdown,
  getRequestCurl,
  deleteRequests,
  getFaults,
  postFault,
  getFault,
  deleteFault,
  deleteFaults,
  getClock,
  postClockAdvance,
  postClockSet,
  postClockFreeze,
  postClockResume,
  getClockUpcoming,
  postClockNext,
  postClockUntil,
  postIdle,
  postWait,
  getWorlds,
  getWorld,
  postWorld,
  deleteWorld,
  postSnapshot,
  getSnapshots,
  postSnapshotRestore,
  deleteSnapshot,
  postReset,
  postRateLimitsReset,
];

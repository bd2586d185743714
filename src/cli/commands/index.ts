import type { CommandDeclaration } from '../command.ts';
import { advanceBrokerage } from './brokerage/advance.ts';
import { cancelCheckout } from './checkout/cancel.ts';
import { payCheckout } from './checkout/pay.ts';
import { advanceClock } from './clock/advance.ts';
import { freezeClock } from './clock/freeze.ts';
import { clockToNext } from './clock/next.ts';
import { resumeClock } from './clock/resume.ts';
import { setClock } from './clock/set.ts';
import { showClock } from './clock/show.ts';
import { clockUntil } from './clock/until.ts';
import { showUpcoming } from './clock/upcoming.ts';
import { approveCredential } from './credentials/approve.ts';
import { createCredential } from './credentials/create.ts';
import { listCredentials } from './credentials/list.ts';
import { revokeCredential } from './credentials/revoke.ts';
import { showCredential } from './credentials/show.ts';
import { doctor } from './doctor/doctor.ts';
import { listEvents } from './events/list.ts';
import { resendEvent } from './events/resend.ts';
import { addFault } from './faults/add.ts';
import { clearFaults } from './faults/clear.ts';
import { listFaults } from './faults/list.ts';
import { showOneFault } from './faults/show.ts';
import { addListing } from './inventory/add.ts';
import { exportInventory } from './inventory/export.ts';
import { importInventory } from './inventory/import.ts';
import { listInventory } from './inventory/list.ts';
import { removeListing } from './inventory/remove.ts';
import { setPrice } from './inventory/set-price.ts';
import { showListing } from './inventory/show.ts';
import { advanceOrder } from './orders/advance.ts';
import { cancelOrder } from './orders/cancel.ts';
import { clearOrder } from './orders/clear.ts';
import { holdOrder } from './orders/hold.ts';
import { listOrders } from './orders/list.ts';
import { refundOrder } from './orders/refund.ts';
import { showOrder } from './orders/show.ts';
import { whyNot } from './orders/why-not.ts';
import { runPayouts } from './payouts/run.ts';
import { resetRateLimits } from './rate-limits/reset.ts';
import { clearRequests } from './requests/clear.ts';
import { listRequests } from './requests/list.ts';
import { logs } from './requests/logs.ts';
import { openapi } from './requests/openapi.ts';
import { request } from './requests/request.ts';
import { showRequest } from './requests/show.ts';
import { sign } from './requests/sign.ts';
import { verify } from './requests/verify.ts';
import { exec } from './server/exec.ts';
import { health } from './server/health.ts';
import { init } from './server/init.ts';
import { start } from './server/start.ts';
import { status } from './server/status.ts';
import { stop } from './server/stop.ts';
import { runSettlements } from './settlements/run.ts';
import { completion } from './shell/completion.ts';
import { deleteSnapshot } from './snapshots/delete.ts';
import { listSnapshots } from './snapshots/list.ts';
import { restoreSnapshot } from './snapshots/restore.ts';
import { saveSnapshot } from './snapshots/save.ts';
import { deliverTransaction } from './transactions/deliver.ts';
import { refundTransaction } from './transactions/refund.ts';
import { waitEvent } from './wait/event.ts';
import { idle } from './wait/idle.ts';
import { waitOrder } from './wait/order.ts';
import { wait } from './wait/ready.ts';
import { waitWebhook } from './wait/webhook.ts';
import { listDeliveries } from './webhooks/deliveries.ts';
import { fireWebhook } from './webhooks/fire.ts';
import { testReceiver } from './webhooks/gauntlet.ts';
import { listenForWebhooks } from './webhooks/listen.ts';
import { registerWebhook } from './webhooks/register.ts';
import { listRegistrations } from './webhooks/registrations.ts';
import { retryDelivery } from './webhooks/retry.ts';
import { showDelivery } from './webhooks/show.ts';
import { unregisterWebhooks } from './webhooks/unregister.ts';
import { createWorld } from './worlds/create.ts';
import { deleteWorld } from './worlds/delete.ts';
import { listWorlds } from './worlds/list.ts';
import { resetWorld } from './worlds/reset.ts';
import { showWorld } from './worlds/show.ts';

/** Every command, in the order in which the help lists those of one noun. */
export const COMMANDS: readonly CommandDeclaration[] = [
  start,
  stop,
  exec,
  init,
  status,
  health,
  doctor,
  createCredential,
  listCredentials,
  showCredential,
  approveCredential,
  revokeCredential,
  listInventory,
  showListing,
  addListing,
  setPrice,
  removeListing,
  importInventory,
  exportInventory,
  listOrders,
  showOrder,
  advanceOrder,
  holdOrder,
  clearOrder,
  refundOrder,
  cancelOrder,
  whyNot,
  runSettlements,
  payCheckout,
  cancelCheckout,
  deliverTransaction,
  refundTransaction,
  runPayouts,
  advanceBrokerage,
  fireWebhook,
  testReceiver,
  listenForWebhooks,
  registerWebhook,
  listRegistrations,
  unregisterWebhooks,
  listDeliveries,
  showDelivery,
  retryDelivery,
  listEvents,
  resendEvent,
  addFault,
  listFaults,
  showOneFault,
  clearFaults,
  showClock,
  advanceClock,
  setClock,
  freezeClock,
  resumeClock,
  showUpcoming,
  clockToNext,
  clockUntil,
  wait,
  waitOrder,
  waitEvent,
  waitWebhook,
  idle,
  listWorlds,
  createWorld,
  showWorld,
  deleteWorld,
  saveSnapshot,
  listSnapshots,
  restoreSnapshot,
  deleteSnapshot,
  resetWorld,
  resetRateLimits,
  listRequests,
  showRequest,
  clearRequests,
  logs,
  request,
  sign,
  verify,
  openapi,
  completion,
];

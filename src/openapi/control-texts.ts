/** What each operation does and how it fails, beyond its summary; by operation id. */
export const ABOUT_OPERATION: Readonly<Record<string, string>> = {
  getHealth:
    'For container probes and start-up scripts. Responds as soon as the server takes requests, without a control token.',
  getStatus:
    'Everything a client needs to connect: base URL, default credential, environment variables, data directory and dashboard URL.',
  getStream:
    'Server-sent events. `change` names what changed in the world since the last event; `gone` says that the world was deleted. Changes within 50 ms are one event.',
  postStop:
    'Requests in flight are finished and the database is closed. 409 `conflict` for a sandbox that ends with the process that holds it. Not in the request log.',
  getOpenapi: 'The document has the address of this sandbox as its server.',
  getReference: 'An HTML page that loads nothing from other hosts.',
  getReferenceAsset: 'The name of a file follows from its content.',
  postCredential:
    'Credentials with the same `partner` name belong to the same partner, which is created if it does not exist. A LIVE credential is rejected by the partner API until it is approved. 409 `conflict` if the `key_id` exists in any world.',
  getCredentials:
    'Ordered by key id. One credential, with its secret, is at `/credentials/{key_id}`.',
  getCredential: 'The key id is looked up in every world.',
  postCredentialApprove:
    'The key id is looked up in every world. 409 `conflict` for a SANDBOX credential, which needs no approval.',
  deleteCredential:
    'The key id is looked up in every world. What was recorded under its idempotency keys is deleted with it; the orders of its partner stay.',
  getInventory: 'Listings that were added last come first. Sold listings are included.',
  postListing: '409 `conflict` if the domain is listed in this environment already.',
  postImport:
    'The body is read as a stream, without a size limit. If any line is invalid, nothing is imported and the message names the first invalid lines. 409 `conflict` if the world is reset or deleted meanwhile.',
  getExport:
    'Streams rows that an import accepts. The stream ends early if the world is reset or deleted.',
  getListing: '404 `not_found` if the domain was never listed in this environment.',
  patchListing: 'Fields that are left out stay as they are. Existing quotes keep their price.',
  deleteListing: 'Orders and sales of the domain stay. Searches and quotes no longer find it.',
  listOrders: 'Each order names its partner, the moves that are open to it, and the next action.',
  getOrder: 'With its timeline, the moves that are open to it, and the next action.',
  postOrderAdvance:
    'Pass `action` for one move, `to` to follow the legal path to a state with an event for each step, or an empty body for one step forward. 409 `conflict` if the state does not allow it; nothing changes then.',
  getOrderWhyNot:
    'Names the guard that keeps the order from the state, and the nearest legal route to it.',
  postSettlementsRun:
    'For every partner, or for `partner_id`. Closes the period, moves completed orders to SETTLED, and records an `order.settled` event for each.',
  postPayoutsRun:
    'For every partner, or for `partner_id`. Pays out the commissions that are due, as one payout for each partner.',
  postCheckoutPay:
    'Does what the hosted page does with a card that is accepted. 409 `conflict` if the session is paid or cancelled, or its domain is sold or reserved.',
  postCheckoutCancel: '409 `conflict` if the session is no longer open.',
  postTransactionDeliver:
    'The commission becomes payable. 409 `conflict` if the state of the sale does not allow it.',
  postTransactionRefund: '409 `conflict` if its commission is paid out already.',
  postBrokerageAdvance:
    'OPEN to NEGOTIATING, then COMPLETED with a `deal_price_cents`, or CLOSED. 409 `conflict` for any other move.',
  listEvents: 'Events of a fired webhook are not part of the history.',
  postEventResend:
    'Creates a delivery of its own, with the retry schedule of a new event and the same event id.',
  getDeliveries: 'Each delivery has its attempts and the time of the next one.',
  getDelivery: 'With its event as it is sent, and all attempts.',
  postDeliveryRetry:
    'The attempt is made at once, without waiting for the retry schedule. 409 `conflict` if the delivery has arrived.',
  putWebhooks:
    'Does what the partner does with `PUT /api/partner/webhooks`, for set-up scripts that hold no key. The partner is created if it does not exist; by default it is that of the default credential.',
  getWebhooks: 'Ordered by partner id and environment. Secrets are not shown.',
  deleteWebhooks:
    'Pass at least one filter. Pending deliveries of what is removed fail, and can be sent again only by hand. 404 `not_found` if nothing matches.',
  postWebhooksFire:
    'Sent at once, outside the event history and the retry schedule. Without `url` and `secret` it goes to the registered webhook url. The response tells what the receiver responded.',
  getRequests:
    'Calls of the partner API, views of hosted pages, and control API calls that act (all but GET, `idle`, `wait`, `stop` and clearing the log). A control API call is in the log of the world that it names.',
  getRequestStream:
    'Server-sent events: `request`, with what the list shows. The same filters as the list. Ends when the world is deleted.',
  getRequest:
    'With headers, bodies and the decision trace. Secrets, signatures and card numbers are redacted.',
  getRequestMarkdown: 'The same as the detail, as text for an issue or a support ticket.',
  getRequestCurl:
    'The signature is valid for five minutes. 409 `conflict` for a request that is not signed, or of which the log does not keep the whole body.',
  deleteRequests: 'Request ids start over. The call itself is not logged.',
  getFaults: 'The first fault that matches a request or delivery acts on it.',
  postFault:
    'Effects use the errors and statuses of the partner API only. 400 `validation_error` for a fault that cannot match or has no effect.',
  getFault: '`hits` counts how often it has acted.',
  deleteFault: 'Deliveries that it has delayed are not sent earlier.',
  deleteFaults: 'Also those of the configuration file, until the next start or reset.',
  getClock: '`offset_ms` is the difference from real time.',
  postClockAdvance:
    'Scheduled work that comes due (expiries, automatic moves, webhook retries) runs in order, at its own time, before the call returns. Time never goes backward.',
  postClockSet: '400 `validation_error` for a time in the past of the sandbox clock.',
  postClockFreeze: 'Real time no longer moves the sandbox clock. Has no effect on a frozen clock.',
  postClockResume: 'The clock runs at real speed again. Has no effect on a running clock.',
  getClockUpcoming:
    'Quote and checkout expiries, webhook retries and automatic moves, soonest first.',
  postClockNext: '409 `conflict` if nothing is scheduled.',
  postClockUntil:
    'Goes from one scheduled item to the next until an event is recorded or an order is in a state. If that does not happen, responds 200 with `reached: false`; the clock has moved all the same. 409 `conflict` if the order cannot reach the state.',
  postIdle:
    'Returns when every delivery that is due has been attempted. 409 `conflict` after `timeout_ms`. Not in the request log.',
  postWait:
    'Does not move the clock. After `timeout_ms` it responds 409 `conflict` and says what it saw instead. Not in the request log.',
  getWorlds: 'Ordered by name. `default` always exists.',
  getWorld: '404 `not_found` if there is no world of that name.',
  postWorld:
    'A fork copies everything but credentials. 409 `conflict` if the name is taken. To enter the world, mint a credential in it.',
  exportWorld:
    'A copy of the world as of now, made without stopping it: an SQLite database with everything except snapshots and the request log. It contains the secrets of credentials and webhooks, so keep it private. 409 `conflict` if the world is reset, restored or deleted meanwhile.',
  importWorld:
    'The body is the file of an export. The world keeps its credentials and IDs, and its clock and pending deliveries go on as after a restart. The file is verified before anything changes. 409 `conflict` if the name or a key ID is taken; `name` imports it under another name, under which its checkout, referral and progress links change.',
  deleteWorld:
    'Deletes its credentials, snapshots and request log too. 409 `conflict` for the default world.',
  postSnapshot: '409 `conflict` if the name is taken, unless `replace` is true.',
  getSnapshots: '`problem` says why a snapshot cannot be restored.',
  postSnapshotRestore:
    'Turns the clock back to the moment of saving. Credentials, used nonces and the request log stay as they are now.',
  deleteSnapshot: 'The world itself stays as it is.',
  postReset:
    'Starts over from the seed, with the configured inventory, credentials, webhooks and faults. Credentials stay. The request log is cleared; the reset is its first entry.',
  postRateLimitsReset: 'Every credential of the world can send its full number of requests again.',
};

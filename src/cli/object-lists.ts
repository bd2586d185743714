/** Lists of objects: the field with the ID or name of an object in errors, the command that lists them, and the path. */
const LISTS: readonly (readonly [field: string, command: string, path?: string])[] = [
  ['public_id', 'orders list', '/orders'],
  ['key_id', 'credentials list', '/credentials'],
  ['domain', 'inventory list', '/inventory'],
  ['event_id', 'events list', '/events'],
  ['delivery_id', 'webhooks deliveries', '/deliveries'],
  ['request_id', 'requests list', '/requests'],
  ['fault_id', 'faults list', '/faults'],
  ['url', 'webhooks registrations', '/webhooks'],
  ['snapshot', 'snapshots list', '/snapshots'],
  ['world', 'worlds list', '/worlds'],
  ['partner_id', 'credentials list'],
  ['session_id', 'checkout list', '/checkout-sessions'],
  ['transaction_id', 'transactions list', '/transactions'],
  ['case_id', 'brokerage list', '/brokerage'],
];

/** Returns the command that lists the objects of a field in an error. */
export function listCommandOf(field: string): string | undefined {
  return LISTS.find(([name]) => name === field)?.[1];
}

/** Returns the field in errors that names an object of a list of the control API. */
export function fieldOfList(path: string): string | undefined {
  return LISTS.find(([, , list]) => list === path)?.[0];
}

/** By the field that names what is not there: the command that lists what is. */
const LISTS: Readonly<Record<string, string>> = {
  public_id: 'orders list',
  key_id: 'credentials list',
  domain: 'inventory list',
  event_id: 'events list',
  delivery_id: 'webhooks deliveries',
  request_id: 'requests list',
  fault_id: 'faults list',
  url: 'webhooks registrations',
  snapshot: 'snapshots list',
};

/**
 * What to do next where something is not there.
 * @param message of a `not_found`; it begins with the name of the field
 * @param world given with --world: what is looked for may live in another
 */
export function whereToLook(message: string, world: string | undefined): string | undefined {
  const [field = ''] = message.split(':', 1);
  const list = LISTS[field];
  if (list === undefined) return undefined;
  return `see which there are: sandlot ${list}${world === undefined ? '' : ` --world ${world}`}`;
}

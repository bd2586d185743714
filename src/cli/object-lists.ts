/** Commands that list objects, by the field of their ID or name in errors. The message about a world lists the others. */
export const LIST_COMMANDS: Readonly<Record<string, string>> = {
  public_id: 'orders list',
  key_id: 'credentials list',
  domain: 'inventory list',
  event_id: 'events list',
  delivery_id: 'webhooks deliveries',
  request_id: 'requests list',
  fault_id: 'faults list',
  url: 'webhooks registrations',
  snapshot: 'snapshots list',
  partner_id: 'credentials list',
  session_id: 'checkout list',
  transaction_id: 'transactions list',
  case_id: 'brokerage list',
};

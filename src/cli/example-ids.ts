/** Ids that a fresh sandbox with the default seed gives out first, so that the examples run as they stand. */
export const FIRST_ORDER = 'ord_0000001nxftxtca4';
export const FIRST_EVENT = 'evt_0000001rj9rw6cpn';
export const FIRST_DELIVERY = 'dlv_0000001ft9qmbkbz';

/** Ids that a fresh sandbox with the default seed gives out first, so that the examples run as they stand. */
export const FIRST_ORDER = 'ord_0000001nxftxtca4';
export const FIRST_EVENT = 'evt_0000001rj9rw6cpn';
export const FIRST_DELIVERY = 'dlv_0000001ft9qmbkbz';
export const FIRST_FAULT = 'flt_0000001g29b1rpk1';
export const FIRST_SESSION = 'cs_0000001n66xm18y9';
export const FIRST_CASE = 'brk_0000001am6nv48as';
/** The first belongs to the order. */
export const SECOND_TRANSACTION = 'txn_0000002gt53f1fxj';
/** The first registered a webhook url. */
export const SECOND_REQUEST = 'req_0000002yjy0frvps';

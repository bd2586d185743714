/** Every event of the specification ("Events"). `transfer.*` is named there without members: none is emitted. */
export const EVENT_TYPES = [
  'order.recorded',
  'order.manual_review_cleared',
  'order.transfer_started',
  'order.transfer_completed',
  'order.settled',
  'order.refunded',
  'brokerage.case_completed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** What each event tells, in the specification's words. */
export const EVENT_MEANING: Record<EventType, string> = {
  'order.recorded': 'Partner-collected sale recorded, status EXTERNALLY_PAID.',
  'order.manual_review_cleared': 'Held order cleared by operations; transfer proceeds.',
  'order.transfer_started': 'Domain push initiated (TRANSFER_IN_PROGRESS).',
  'order.transfer_completed':
    'Domain delivered to partner registrar (TRANSFER_COMPLETED); settlement clock starts.',
  'order.settled': 'Settlement period closed; order reconciled (SETTLED).',
  'order.refunded': 'Order refunded or cancelled.',
  'brokerage.case_completed': 'Brokerage case closed with a deal.',
};

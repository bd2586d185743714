import { EVENT_TYPES, type EventType } from '../store/schema/enums.ts';

/** What an event is about: an order or a brokerage case. Determines the fields of its data. */
type EventSubject = 'order' | 'case';

interface EventKind {
  /** Quoted from the specification. */
  meaning: string;
  subject: EventSubject;
}

export { EVENT_TYPES, type EventType };

export const EVENT_KINDS = {
  'order.recorded': {
    meaning: 'Partner-collected sale recorded, status EXTERNALLY_PAID.',
    subject: 'order',
  },
  'order.manual_review_cleared': {
    meaning: 'Held order cleared by operations; transfer proceeds.',
    subject: 'order',
  },
  'order.transfer_started': {
    meaning: 'Domain push initiated (TRANSFER_IN_PROGRESS).',
    subject: 'order',
  },
  'order.transfer_completed': {
    meaning: 'Domain delivered to partner registrar (TRANSFER_COMPLETED); settlement clock starts.',
    subject: 'order',
  },
  'order.settled': {
    meaning: 'Settlement period closed; order reconciled (SETTLED).',
    subject: 'order',
  },
  'order.refunded': { meaning: 'Order refunded or cancelled.', subject: 'order' },
  'brokerage.case_completed': { meaning: 'Brokerage case closed with a deal.', subject: 'case' },
} as const satisfies Record<EventType, EventKind>;

import { display, type Tone } from '../kernel/columns.ts';
import type { DeliveryStatus } from '../store/schema/enums.ts';
import type { Delivery } from './delivery.ts';

const TONES: Record<DeliveryStatus, Tone> = {
  delivered: 'success',
  failed: 'error',
  pending: 'warning',
};

/** How the CLI and the dashboard show a delivery. */
export const deliveryDisplay = display<Delivery>({
  delivery_id: ['Delivery', (item) => item.delivery_id, 'id'],
  event_id: ['Event', (item) => item.event_id, 'id'],
  status: ['Status', (item) => item.status, 'status', (item) => TONES[item.status]],
  attempts: ['Attempts', (item) => item.attempts.length, 'count'],
  last_outcome: ['Last', (item) => item.attempts.at(-1)?.outcome, 'status'],
  next_attempt_at: ['Next attempt', (item) => item.next_attempt_at, 'time'],
});

/** How they show the attempts of a delivery. */
export const attemptDisplay = display<Delivery['attempts'][number]>({
  at: ['At', (item) => item.at, 'time'],
  outcome: [
    'Outcome',
    (item) => item.outcome,
    'status',
    (item) => (item.outcome === 'ok' ? 'success' : 'error'),
  ],
  duration_ms: ['Took', (item) => `${item.duration_ms} ms`, 'count'],
});

interface Registered {
  url: string;
  partner: string;
  environment: string;
  pending_deliveries: number;
  updated_at: string;
}

/** How they show the registered URL of a partner. */
export const registrationDisplay = display<Registered>({
  url: ['URL', (item) => item.url],
  partner: ['Partner', (item) => item.partner],
  environment: ['Environment', (item) => item.environment, 'status'],
  pending_deliveries: ['Pending', (item) => item.pending_deliveries, 'count'],
  updated_at: ['Since', (item) => item.updated_at, 'time'],
});

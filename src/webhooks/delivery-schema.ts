import { z } from 'zod';
import { count, idOf, page, record, time } from '../kernel/answer.ts';
import { DELIVERY_STATUSES } from '../store/schema/enums.ts';

const attemptSchema = record(
  'DeliveryAttempt',
  { says: 'What came of one attempt; only `ok` is success.' },
  () => ({
    at: time(),
    outcome: z.string(),
    http_status: count().nullable(),
    duration_ms: count(),
  }),
);

export const deliverySchema = record(
  'Delivery',
  { says: 'An event on its way to a webhook url.' },
  () => ({
    delivery_id: idOf('dlv'),
    event_id: idOf('evt'),
    url: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(attemptSchema()),
    next_attempt_at: time().nullable(),
  }),
);

export const deliveryPageSchema = page('DeliveryPage', 'deliveries', deliverySchema);

const firedAttemptSchema = record(
  'FiredAttempt',
  { says: 'What came of one attempt, with the beginning of what the receiver answered.' },
  () => ({
    outcome: z.string(),
    http_status: count().nullable(),
    duration_ms: count(),
    response: z.string().nullable(),
  }),
);

export const firedSchema = record(
  'FiredWebhook',
  {
    says: 'A webhook that was sent by hand; `ok` when every attempt was answered with 200 in time.',
  },
  () => ({
    ok: z.boolean(),
    url: z.string(),
    event: z.record(z.string(), z.unknown()),
    attempts: z.array(firedAttemptSchema()),
  }),
);

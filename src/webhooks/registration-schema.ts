import { z } from 'zod';
import { address, record, time } from '../kernel/answer.ts';

export const registrationSchema = record(
  'WebhookRegistration',
  {
    says: 'Where the events of a partner and environment are delivered.',
    specified: ['url', 'active', 'created_at'],
  },
  () => ({ url: address(), active: z.boolean(), created_at: time() }),
);

import { z } from 'zod';
import { address, count, idOf, page, record, time } from '../kernel/answer.ts';
import { ENVIRONMENTS } from '../store/schema/words.ts';

export const registrationSchema = record(
  'WebhookRegistration',
  {
    says: 'Where the events of a partner and environment are delivered.',
    specified: ['url', 'active', 'created_at'],
  },
  () => ({ url: address(), active: z.boolean(), created_at: time() }),
);

export const operatorRegistrationSchema = record(
  'OperatorRegistration',
  { says: 'A registration with its partner, and how many deliveries it is still owed.' },
  () => ({
    ...registrationSchema().shape,
    partner_id: idOf('ptr'),
    environment: z.enum(ENVIRONMENTS),
    partner: z.string(),
    updated_at: time(),
    pending_deliveries: count(),
  }),
);

export const registrationPageSchema = page(
  'RegistrationPage',
  'webhooks',
  operatorRegistrationSchema,
);

export const removedRegistrationsSchema = record(
  'RemovedRegistrations',
  { says: 'What was removed, as it was.' },
  () => ({ webhooks: z.array(operatorRegistrationSchema()) }),
);

import { z } from 'zod';
import { count, idOf, page, record, time } from '../kernel/answer.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import { registration } from './registration.ts';

export const operatorRegistrationSchema = record(
  'OperatorRegistration',
  { says: 'A registration with its partner, and how many deliveries it is still owed.' },
  () => ({
    ...registration.schema().shape,
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

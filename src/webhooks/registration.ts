import { type Fields, resource } from '../kernel/resource.ts';
import type { RegistrationRow } from './registrations.ts';

/** A registration in the response of PUT /api/partner/webhooks. */
export const registration = resource(
  'WebhookRegistration',
  'Where the events of a partner and environment are delivered.',
  ({ url, flag, time }: Fields<RegistrationRow>) => ({
    url: url().specified(),
    active: flag().specified(),
    created_at: time().specified(),
  }),
);

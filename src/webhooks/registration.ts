import { countedPage, type Fields, type Output, resource } from '../kernel/resource.ts';
import { type NamedOwner, OWNER_HEADINGS, ownerFields } from '../store/owner-fields.ts';
import type { RegistrationRow } from './registrations.ts';

const registrationFields = <Row extends RegistrationRow>({ text, flag, time }: Fields<Row>) => ({
  url: text().specified(),
  active: flag().specified(),
  created_at: time().specified(),
});

export const registration = resource(
  'WebhookRegistration',
  'Where the events of a partner and environment are delivered.',
  registrationFields<RegistrationRow>,
);

export type ControlRegistrationRow = RegistrationRow & NamedOwner & { pendingDeliveries: number };

// Not `registration.extend`, because the owner comes first in the JSON.
export const controlRegistration = resource(
  'ControlRegistration',
  'A registration with its partner and the number of its pending deliveries.',
  (f: Fields<ControlRegistrationRow>) => ({
    ...ownerFields(f),
    ...registrationFields(f),
    updated_at: f.time(),
    pending_deliveries: f.count(),
  }),
).display(
  {
    url: 'URL',
    ...OWNER_HEADINGS,
    pending_deliveries: 'Pending',
    updated_at: 'Since',
  },
  ['url', 'partner', 'environment', 'pending_deliveries', 'updated_at'],
);
export type ControlRegistration = Output<typeof controlRegistration>;
export const registrationPage = countedPage(controlRegistration, 'RegistrationPage', 'webhooks');

export const removedRegistrations = resource(
  'RemovedRegistrations',
  'The removed registrations.',
  ({ list }: Fields<{ webhooks: ControlRegistrationRow[] }>) => ({
    webhooks: list(controlRegistration),
  }),
);

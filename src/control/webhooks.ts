import { z } from 'zod';
import { pageQuery, text } from '../http/fields.ts';
import { notFound, validationError } from '../kernel/errors.ts';
import { findOrCreatePartner, partnerIdOf, withPartner } from '../market/partners/credentials.ts';
import { mapPage, paginateSorted } from '../store/paging.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { countPending } from '../webhooks/deliveries.ts';
import {
  type ControlRegistrationRow,
  controlRegistration,
  registrationPage,
  removedRegistrations,
} from '../webhooks/registration.ts';
import {
  listRegistrations,
  type RegistrationRow,
  registerWebhook,
  unregisterWebhook,
} from '../webhooks/registrations.ts';
import { del, get, named, put } from './endpoint.ts';
import { newRegistration } from './partner-fields.ts';

export const webhookEndpoints = named({
  getWebhooks: get('/webhooks', {
    summary: 'List the registered webhooks by partner, without their secrets.',
    query: () => z.object(pageQuery()),
    response: registrationPage,
    read: ({ tx, query }) => {
      const page = paginateSorted(tx, 'webhooks', listRegistrations(tx), query, idOf);
      return mapPage(page, (row) => withPending(tx, row));
    },
  }),

  putWebhooks: put('/webhooks', {
    summary: 'Register or replace the webhook of a partner and environment, without signing.',
    description:
      'Does what the partner does with `PUT /api/partner/webhooks`, for set-up scripts that hold no key. The partner is created if it does not exist; by default it is that of the default credential.',
    body: newRegistration,
    response: controlRegistration,
    write: ({ tx, body: { partner, environment, url, secret } }) => {
      const { partnerId } = findOrCreatePartner(tx, partner);
      return withPending(tx, registerWebhook(tx, { partnerId, environment }, { url, secret }));
    },
  }),

  deleteWebhooks: del('/webhooks', {
    summary: 'Delete registrations by partner, environment or URL. Their pending deliveries fail.',
    description:
      'Pass at least one filter. Pending deliveries of the deleted registrations are not retried; send them again by hand. 404 `not_found` if nothing matches.',
    query: () =>
      z.object({
        partner: text().optional().describe('Name or ID of the partner.'),
        environment: z.enum(ENVIRONMENTS).optional().describe('Environment of the registration.'),
        url: text().optional().describe('Registered URL.'),
      }),
    response: removedRegistrations,
    write({ tx, query }) {
      const [field] = Object.keys(query);
      if (field === undefined) {
        throw validationError('query: pass `partner`, `environment` or `url`');
      }
      const partnerId = query.partner === undefined ? undefined : partnerIdOf(tx, query.partner);
      const registrations = listRegistrations(tx).filter(
        (registration) =>
          registration.partnerId === (partnerId ?? registration.partnerId) &&
          registration.environment === (query.environment ?? registration.environment) &&
          registration.url === (query.url ?? registration.url),
      );
      if (registrations.length === 0) {
        throw notFound(`${field}: no registration matches; GET /_sandbox/webhooks lists all`);
      }
      const webhooks = registrations.map((registration) => withPending(tx, registration));
      for (const registration of registrations) unregisterWebhook(tx, registration);
      return { webhooks };
    },
  }),
});

/** Identifies a registration: a partner has one per environment. Ids sort as the list does. */
function idOf({ partnerId, environment }: RegistrationRow): string {
  return `${partnerId} ${environment}`;
}

function withPending(tx: Tx, row: RegistrationRow): ControlRegistrationRow {
  return { ...withPartner(tx, row), pendingDeliveries: countPending(tx, row) };
}

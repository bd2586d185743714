import { z } from 'zod';
import { oneOf, pageQuery, requiredText, text, webhookSecret, webhookUrl } from '../http/fields.ts';
import { notFound, validationError } from '../kernel/errors.ts';
import { documented } from '../kernel/resource.ts';
import { isoTime } from '../kernel/time.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { joinPartner, requirePartner } from '../market/partners/credentials.ts';
import { paginate, readCursor } from '../store/paging.ts';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { countPending } from '../webhooks/deliveries.ts';
import {
  operatorRegistrationSchema,
  registrationPageSchema,
  removedRegistrationsSchema,
} from '../webhooks/registration-schema.ts';
import {
  listRegistrations,
  type RegistrationRow,
  registerWebhook,
  registrationView,
  unregisterWebhook,
} from '../webhooks/registrations.ts';
import { controlEndpoint } from './endpoint.ts';
import { ownerView } from './owner-view.ts';

const filter = z.object({
  partner: text().optional(),
  partner_id: text().optional(),
  environment: oneOf(ENVIRONMENTS).optional(),
  url: text().optional(),
});
type Filter = z.output<typeof filter>;

export const getWebhooks = controlEndpoint({
  name: 'getWebhooks',
  method: 'GET',
  path: '/webhooks',
  summary: 'The registered webhook urls, by partner; without their secrets.',
  query: () => z.object({ ...filter.shape, ...pageQuery() }),
  status: 200,
  response: documented(registrationPageSchema),
  handle: ({ world, query }) =>
    world.read((tx) => {
      const after = readCursor(tx, 'webhooks', query);
      const rest = fitting(tx, query).filter((each) => after === undefined || idOf(each) > after);
      const { rows, next_cursor } = paginate(tx, 'webhooks', rest, query, idOf);
      return { webhooks: rows.map((each) => operatorView(tx, each)), next_cursor };
    }),
});

export const putWebhooks = controlEndpoint({
  name: 'putWebhooks',
  method: 'PUT',
  path: '/webhooks',
  summary: 'Register or replace the webhook url of a partner and environment, without signing.',
  body: () =>
    z.strictObject({
      partner: requiredText(100).default(DEFAULT_CREDENTIAL.partner),
      environment: oneOf(ENVIRONMENTS).default('SANDBOX'),
      url: webhookUrl(),
      secret: webhookSecret(),
    }),
  status: 200,
  response: documented(operatorRegistrationSchema),
  handle: ({ world, body: { partner, environment, url, secret } }) =>
    world.transaction((tx) => {
      const { partnerId } = joinPartner(tx, partner);
      return operatorView(tx, registerWebhook(tx, { partnerId, environment }, { url, secret }));
    }),
});

export const deleteWebhooks = controlEndpoint({
  name: 'deleteWebhooks',
  method: 'DELETE',
  path: '/webhooks',
  summary: 'Removes registrations by partner, environment or url; what they were still owed fails.',
  query: () => filter,
  status: 200,
  response: documented(removedRegistrationsSchema),
  handle({ world, query }) {
    if (Object.values(query).every((value) => value === undefined)) {
      throw validationError('query: pass partner, partner_id, environment or url');
    }
    return world.transaction((tx) => {
      const found = fitting(tx, query);
      if (found.length === 0) throw notFound('url: none is registered that fits');
      const webhooks = found.map((each) => operatorView(tx, each));
      for (const each of found) unregisterWebhook(tx, each);
      return { webhooks };
    });
  },
});

function fitting(
  tx: Tx,
  { partner, partner_id: partnerId, environment, url }: Filter,
): RegistrationRow[] {
  return listRegistrations(tx).filter(
    (each) =>
      (partner === undefined || requirePartner(tx, each.partnerId).name === partner) &&
      (partnerId === undefined || each.partnerId === partnerId) &&
      (environment === undefined || each.environment === environment) &&
      (url === undefined || each.url === url),
  );
}

/** One partner has one registration in an environment; sorts as the list does. */
function idOf({ partnerId, environment }: RegistrationRow): string {
  return `${partnerId} ${environment}`;
}

export type ControlRegistration = ReturnType<typeof operatorView>;

function operatorView(tx: Tx, registration: RegistrationRow) {
  return {
    ...ownerView(registration),
    partner: requirePartner(tx, registration.partnerId).name,
    ...registrationView(registration),
    updated_at: isoTime(registration.updatedAt),
    pending_deliveries: countPending(tx, registration),
  };
}

import { action, type CommandModule, exampleId, list, show } from '../command.ts';
import { UsageError } from '../errors.ts';
import { argument, text, value } from '../options.ts';
import { webAddress } from '../parsers/values.ts';
import { fire } from './webhooks/fire.ts';
import { listen } from './webhooks/listen.ts';

const DELIVERY = exampleId('dlv');

const delivery = async () => (await import('../../webhooks/delivery.ts')).delivery;

export const webhooks: CommandModule = {
  group: 'Webhooks and events',
  nouns: { webhooks: 'Send, receive and inspect webhooks.' },
  commands: [
    fire,
    listen,
    action('webhooks register', 'PUT /webhooks', {
      details:
        'A partner has one URL in each environment. Does the same as PUT /api/partner/webhooks, for setup scripts without a key.',
      options: {
        url: value('--url <url>', 'URL that receives webhooks', webAddress).asRequired(),
      },
      examples: [
        'sandlot webhooks register --url http://127.0.0.1:4020/ --secret whsec_local',
        'sandlot webhooks register --url http://127.0.0.1:4020/ --secret whsec_local --partner acme --env LIVE',
      ],
      format: (registered) =>
        `Registered ${registered.url} for ${registered.partner} in ${registered.environment}`,
    }),
    list('webhooks registrations', 'GET /webhooks', {
      resource: async () => (await import('../../webhooks/registration.ts')).controlRegistration,
      only: ['limit', 'cursor'],
      empty: 'no webhook URL is registered; register one with: sandlot webhooks register',
      examples: ['sandlot webhooks registrations'],
    }),
    action('webhooks unregister', 'DELETE /webhooks', {
      args: {
        url: argument<string | undefined>('[webhook-url]', 'Registered URL').naming('registration'),
      },
      options: {
        partner_id: text('--partner-id <id>', 'URLs of the partner with this ID').naming('partner'),
      },
      input: ({ args, options }) => {
        const query = { ...args, ...options };
        if (Object.values(query).some((value) => value !== undefined)) return query;
        throw new UsageError(
          'missing URL, --partner, --partner-id or --env; see: sandlot webhooks registrations',
        );
      },
      examples: [
        'sandlot webhooks unregister http://127.0.0.1:4020/',
        'sandlot webhooks unregister --env SANDBOX',
      ],
      format: ({ webhooks: removed }) =>
        removed.map(
          ({ url: from, partner, environment, pending_deliveries: pending }) =>
            `Unregistered ${from} for ${partner} in ${environment}${pending > 0 ? ` (${pending} pending deliveries failed)` : ''}`,
        ),
    }),
    list('webhooks deliveries', 'GET /deliveries', {
      resource: delivery,
      examples: [
        'sandlot webhooks deliveries',
        `sandlot webhooks deliveries --event ${exampleId('evt')}`,
        'sandlot webhooks deliveries --status failed --json',
      ],
    }),
    show('webhooks show', 'GET /deliveries/{id}', {
      examples: [`sandlot webhooks show ${DELIVERY}`],
      resource: delivery,
      more: ({ event }) => [
        '',
        `${event.type} about ${event.subject_id}`,
        JSON.stringify(event.data, null, 2),
      ],
    }),
    action('webhooks retry', 'POST /deliveries/{id}/retry', {
      examples: [`sandlot webhooks retry ${DELIVERY}`],
      format: ({ delivery_id, url: to }) => `Queued ${delivery_id} to ${to} for now`,
      next: ({ delivery_id }) => `See the result: sandlot webhooks show ${delivery_id}`,
    }),
  ],
};

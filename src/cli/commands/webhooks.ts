import { DELIVERY_STATUSES } from '../../store/schema/enums.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import type { ControlEvent } from '../../webhooks/event.ts';
import type { ControlRegistration } from '../../webhooks/registration.ts';
import { action, type CommandModule, exampleId, list, show } from '../command.ts';
import { UsageError } from '../errors.ts';
import { ANY_ENVIRONMENT, argument, choice, ENVIRONMENT, text, value } from '../options.ts';
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
      summary: 'Register or replace the webhook URL of a partner, without signing.',
      details:
        'A partner has one URL in each environment. Does the same as PUT /api/partner/webhooks, for setup scripts without a key.',
      options: {
        url: value('--url <url>', 'URL that receives webhooks', webAddress).asRequired(),
        secret: text('--secret <secret>', 'Secret that signs webhooks').asRequired(),
        partner: text('--partner <name>', 'Name of the partner (default: local)'),
        environment: ENVIRONMENT,
      },
      examples: [
        'sandlot webhooks register --url http://127.0.0.1:4020/ --secret whsec_local',
        'sandlot webhooks register --url http://127.0.0.1:4020/ --secret whsec_local --partner acme --env LIVE',
      ],
      format: (registered: ControlRegistration) =>
        `Registered ${registered.url} for ${registered.partner} in ${registered.environment}`,
    }),
    list('webhooks registrations', 'GET /webhooks', {
      summary: 'List the registered webhook URLs of every partner.',
      resource: async () => (await import('../../webhooks/registration.ts')).controlRegistration,
      empty: 'no webhook URL is registered; register one with: sandlot webhooks register',
      examples: ['sandlot webhooks registrations'],
    }),
    action('webhooks unregister', 'DELETE /webhooks', {
      summary: 'Unregister webhook URLs. Their pending deliveries fail.',
      args: {
        url: argument<string | undefined>('[webhook-url]', 'Registered URL').naming('registration'),
      },
      options: {
        partner: text('--partner <name>', 'URLs of the partner with this name'),
        partner_id: text('--partner-id <id>', 'URLs of the partner with this ID').naming('partner'),
        environment: ANY_ENVIRONMENT,
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
      format: ({ webhooks: removed }: { webhooks: ControlRegistration[] }) =>
        removed.map(
          ({ url: from, partner, environment, pending_deliveries: pending }) =>
            `Unregistered ${from} for ${partner} in ${environment}${pending > 0 ? ` (${pending} pending deliveries failed)` : ''}`,
        ),
    }),
    list('webhooks deliveries', 'GET /deliveries', {
      summary: 'List webhook deliveries, newest first.',
      resource: delivery,
      options: {
        event_id: text('--event <id>', 'Only deliveries of this event').naming('event'),
        status: choice('--status <status>', DELIVERY_STATUSES.join(', '), DELIVERY_STATUSES),
      },
      examples: [
        'sandlot webhooks deliveries',
        `sandlot webhooks deliveries --event ${exampleId('evt')}`,
        'sandlot webhooks deliveries --status failed --json',
      ],
    }),
    show('webhooks show', 'GET /deliveries/:id', {
      summary: 'Show a delivery with its event and attempts.',
      args: { id: argument('<id>', 'Delivery ID').naming('delivery') },
      examples: [`sandlot webhooks show ${DELIVERY}`],
      resource: delivery,
      more: ({ event }: Delivery & { event: ControlEvent }) => [
        '',
        `${event.type} about ${event.subject_id}`,
        JSON.stringify(event.data, null, 2),
      ],
    }),
    action('webhooks retry', 'POST /deliveries/:id/retry', {
      summary: 'Make a delivery that has not arrived due now.',
      args: { id: argument('<id>', 'Delivery ID').naming('delivery') },
      examples: [`sandlot webhooks retry ${DELIVERY}`],
      format: ({ delivery_id, url: to }: Delivery) => `Queued ${delivery_id} to ${to} for now`,
      next: ({ delivery_id }) => `See the result: sandlot webhooks show ${delivery_id}`,
    }),
  ],
};

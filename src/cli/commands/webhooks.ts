import { escapeControls } from '../../kernel/printable.ts';
import { failureHint } from '../../webhooks/failure-hint.ts';
import { action, type CommandModule, command, exampleId, list } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { argument, value } from '../options.ts';
import { webAddress } from '../parsers/values.ts';
import { fire } from './webhooks/fire.ts';
import { LISTEN_OPTIONS } from './webhooks/listen-options.ts';

const listen = command('webhooks listen', {
  summary: 'Start a receiver that verifies and prints webhooks.',
  details:
    'Responds with 200 if the signature is valid and 401 if not, unless --status or --forward is given. --json prints one JSON object per line: first the address of the receiver, then one for each webhook. Ctrl-C stops the receiver, and unregisters the URL that --register registered, for the partner of SANDLOT_KEY_ID or of the default credential.',
  options: LISTEN_OPTIONS,
  examples: [
    'sandlot webhooks listen --register',
    'sandlot webhooks listen --port 0 --register --json',
    'sandlot webhooks listen --register --secret whsec_local --forward http://127.0.0.1:3000/webhooks',
    'sandlot webhooks listen --register --status 500',
  ],
  run: async (call) => (await import('./webhooks/listen.ts')).runReceiver(call, call.options),
});

const DELIVERY_ID = exampleId('dlv');

const seeResult = ({ delivery_id: id }: { delivery_id: string }, { suggest }: CommandContext) =>
  `See the result: ${suggest(`webhooks show ${id}`)}`;

const loadDelivery = async () => (await import('../../webhooks/delivery.ts')).delivery;

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
        url: value('--url <url>', 'URL that receives webhooks', webAddress).asMandatory(),
      },
      examples: [
        'sandlot webhooks register --url http://127.0.0.1:4020/ --secret whsec_local',
        'sandlot webhooks register --url http://127.0.0.1:4020/ --secret whsec_local --partner acme --env LIVE',
      ],
      format: (registration) =>
        `Registered ${registration.url} for ${registration.partner} in ${registration.environment}`,
    }),
    list('webhooks registrations', 'GET /webhooks', {
      resource: async () => (await import('../../webhooks/registration.ts')).controlRegistration,
      empty: 'no webhook URL is registered; register one with: sandlot webhooks register',
    }),
    action('webhooks unregister', 'DELETE /webhooks', {
      args: { url: argument('[webhook-url]', 'Registered URL') },
      examples: [
        'sandlot webhooks unregister http://127.0.0.1:4020/',
        'sandlot webhooks unregister --env SANDBOX',
      ],
      format: ({ webhooks: registrations }) =>
        registrations.map(
          ({ url: registeredUrl, partner, environment, pending_deliveries: pendingCount }) =>
            `Unregistered ${registeredUrl} for ${partner} in ${environment}${pendingCount > 0 ? ` (pending deliveries failed: ${pendingCount})` : ''}`,
        ),
    }),
    list('webhooks deliveries', 'GET /deliveries', {
      resource: loadDelivery,
      examples: [
        'sandlot webhooks deliveries',
        `sandlot webhooks deliveries --event ${exampleId('evt')}`,
        'sandlot webhooks deliveries --status failed --json',
      ],
    }),
    action('webhooks show', 'GET /deliveries/{id}', {
      examples: [`sandlot webhooks show ${DELIVERY_ID}`],
      resource: loadDelivery,
      format: ({ request, attempts }, { colors }) => {
        const { outcome, response } = attempts.at(-1) ?? {};
        const hint = failureHint(outcome);
        return [
          ...(hint === undefined ? [] : ['', hint]),
          '',
          colors.dim('headers:'),
          ...Object.entries(request.headers).map(([name, value]) => `  ${name}: ${value}`),
          '',
          colors.dim('body, whose bytes the signature signs:'),
          `  ${request.body}`,
          ...(response ? ['', colors.dim('last response:'), escapeControls(response)] : []),
        ];
      },
    }),
    action('webhooks retry', 'POST /deliveries/{id}/retry', {
      examples: [`sandlot webhooks retry ${DELIVERY_ID}`],
      format: ({ delivery_id, url }) => `Queued ${delivery_id} to ${url} for now`,
      next: seeResult,
    }),
  ],
};

export const events: CommandModule = {
  group: 'Webhooks and events',
  nouns: { events: 'List events and resend them.' },
  commands: [
    list('events list', 'GET /events', {
      resource: async () => (await import('../../webhooks/event.ts')).controlEvent,
      examples: [
        'sandlot events list',
        `sandlot events list --for ${exampleId('ord')}`,
        'sandlot events list --type order.recorded --limit 1 --json',
      ],
    }),
    action('events resend', 'POST /events/{id}/resend', {
      examples: [`sandlot events resend ${exampleId('evt')}`],
      format: ({ delivery_id, url }) => `Queued delivery ${delivery_id} to ${url}`,
      next: seeResult,
    }),
  ],
};

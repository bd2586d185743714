import { action, type CommandModule, exampleId, list } from '../command.ts';

export const events: CommandModule = {
  group: 'Webhooks and events',
  nouns: { events: 'List events and resend them.' },
  commands: [
    list('events list', 'GET /events', {
      resource: async () => (await import('../../webhooks/event.ts')).controlOrderEvent,
      examples: [
        'sandlot events list',
        `sandlot events list --for ${exampleId('ord')}`,
        'sandlot events list --type order.recorded --limit 1 --json',
      ],
    }),
    action('events resend', 'POST /events/{id}/resend', {
      examples: [`sandlot events resend ${exampleId('evt')}`],
      format: ({ delivery_id, url }) => `Queued delivery ${delivery_id} to ${url}`,
      next: ({ delivery_id }) => `See the result: sandlot webhooks show ${delivery_id}`,
    }),
  ],
};

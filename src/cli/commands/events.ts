import { EVENT_TYPES } from '../../events/event-types.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import { action, type CommandModule, exampleId, list } from '../command.ts';
import { argument, choice, text } from '../options.ts';

export const events: CommandModule = {
  group: 'Webhooks and events',
  nouns: { events: 'List events and resend them.' },
  commands: [
    list('events list', 'GET /events', {
      summary: 'List the events of every partner, newest first.',
      resource: async () => (await import('../../webhooks/event.ts')).controlOrderEvent,
      options: {
        type: choice('--type <type>', 'Only events of this type', EVENT_TYPES),
        subject_id: text('--for <id>', 'Only events about this order or case').naming('order'),
      },
      examples: [
        'sandlot events list',
        `sandlot events list --for ${exampleId('ord')}`,
        'sandlot events list --type order.recorded --limit 1 --json',
      ],
    }),
    action('events resend', 'POST /events/:id/resend', {
      summary: 'Deliver an event again, to the URL that is registered now.',
      args: { id: argument('<id>', 'Event ID').naming('event') },
      examples: [`sandlot events resend ${exampleId('evt')}`],
      format: ({ delivery_id, url }: Delivery) => `Queued delivery ${delivery_id} to ${url}`,
      next: ({ delivery_id }) => `See the result: sandlot webhooks show ${delivery_id}`,
    }),
  ],
};

import type { PageOf } from '../../../kernel/resource.ts';
import { DELIVERY_STATUSES } from '../../../store/schema/enums.ts';
import type { Delivery } from '../../../webhooks/delivery.ts';
import { defineCommand } from '../../command.ts';
import { option } from '../../declare.ts';
import { FIRST_EVENT } from '../../example-ids.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { shortTime } from '../../times.ts';
import { oneOf } from '../../values.ts';
import { paintDelivery } from './show-delivery.ts';

export const listDeliveries = defineCommand({
  path: 'webhooks deliveries',
  summary: 'Webhook deliveries, newest first.',
  options: {
    event: option('--event <id>', 'only of this event'),
    status: option('--status <status>', DELIVERY_STATUSES.join(', '), oneOf(DELIVERY_STATUSES)),
    ...PAGE_OPTIONS,
  },
  examples: [
    'sandlot webhooks deliveries',
    `sandlot webhooks deliveries --event ${FIRST_EVENT}`,
    'sandlot webhooks deliveries --status failed --json',
  ],
  async run({ control, options, out }) {
    const { event, ...query } = options;
    const document = await control().get<PageOf<'deliveries', Delivery>>('/deliveries', {
      ...query,
      event_id: event,
    });
    out.result(document, ({ deliveries }, { table, paint }) =>
      deliveries.length === 0
        ? paint.faint('no deliveries')
        : table(
            [
              { heading: 'DELIVERY', cell: (each) => each.delivery_id, whole: true },
              { heading: 'EVENT', cell: (each) => each.event_id, whole: true },
              {
                heading: 'STATUS',
                firm: true,
                cell: (each) => each.status,
                paint: (text, each) => paintDelivery(paint, each.status)(text),
              },
              { heading: 'TRIES', cell: (each) => each.attempts.length, align: 'right' },
              { heading: 'LAST', firm: true, cell: (each) => each.attempts.at(-1)?.outcome },
              {
                heading: 'NEXT',
                firm: true,
                cell: (each) => each.next_attempt_at && shortTime(each.next_attempt_at),
              },
            ],
            deliveries,
          ),
    );
    tellNextPage(out, document);
  },
});

import type { ControlEvent } from '../../../control/events.ts';
import type { Delivery } from '../../../webhooks/delivery.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { FIRST_DELIVERY } from '../../example-ids.ts';
import { showDelivery as show } from './show-delivery.ts';

export const showDelivery = defineCommand({
  path: 'webhooks show',
  summary: 'One delivery with its event and attempts.',
  args: { id: argument('delivery id') },
  examples: [`sandlot webhooks show ${FIRST_DELIVERY}`],
  async run({ control, args, out }) {
    const path = `/deliveries/${encodeURIComponent(args.id)}`;
    out.result(await control().get<Delivery & { event: ControlEvent }>(path), show);
  },
});

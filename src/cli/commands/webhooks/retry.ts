import type { Delivery } from '../../../webhooks/delivery.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { FIRST_DELIVERY } from '../../example-ids.ts';

export const retryDelivery = defineCommand({
  path: 'webhooks retry',
  summary: 'Make a delivery that has not arrived due now.',
  args: { id: argument('delivery id') },
  examples: [`sandlot webhooks retry ${FIRST_DELIVERY}`],
  async run({ control, args, out }) {
    const path = `/deliveries/${encodeURIComponent(args.id)}/retry`;
    out.result(
      await control().post<Delivery>(path),
      ({ delivery_id, url }) => `${delivery_id} is due now, to ${url}`,
    );
    out.note(`what came of it: sandlot webhooks show ${args.id}`);
  },
});

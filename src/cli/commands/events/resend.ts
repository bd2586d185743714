import type { Delivery } from '../../../webhooks/delivery.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { FIRST_EVENT } from '../../example-ids.ts';

export const resendEvent = defineCommand({
  path: 'events resend',
  summary: 'Deliver an event once more, to the url registered now.',
  args: { id: argument('event id') },
  examples: [`sandlot events resend ${FIRST_EVENT}`],
  async run({ control, args, out }) {
    const path = `/events/${encodeURIComponent(args.id)}/resend`;
    out.result(
      await control().post<Delivery>(path),
      ({ delivery_id, url }) => `${delivery_id} is on its way to ${url}`,
    );
    out.note('what came of it: sandlot webhooks deliveries');
  },
});

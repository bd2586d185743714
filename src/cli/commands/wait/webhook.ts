import { EVENT_TYPES } from '../../../events/event-types.ts';
import { DELIVERY_STATUSES } from '../../../store/schema/enums.ts';
import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { oneOf } from '../../values.ts';
import { HOW_MANY, TIMEOUT } from './timeout.ts';
import { waitFor } from './wait-for.ts';

export const waitWebhook = defineCommand({
  path: 'wait webhook',
  summary: 'Wait until webhooks of a type have arrived.',
  args: { type: argument('event type', oneOf(EVENT_TYPES)) },
  options: {
    about: option('--for <id>', 'only about this order or case, or this event or delivery'),
    ...HOW_MANY,
    status: option(
      '--status <status>',
      `${DELIVERY_STATUSES.join(', ')} (default: delivered)`,
      oneOf(DELIVERY_STATUSES),
    ),
    timeout: TIMEOUT,
  },
  examples: [`sandlot wait webhook order.recorded --for ${FIRST_ORDER} --exactly 1`],
  run: (call) =>
    waitFor(call, {
      for: 'delivery',
      type: call.args.type,
      id: call.options.about,
      status: call.options.status,
      count: call.options.count,
      exactly: call.options.exactly,
      timeout_ms: call.options.timeout,
    }),
});

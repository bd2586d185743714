import { EVENT_TYPES } from '../../../events/event-types.ts';
import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { oneOf } from '../../values.ts';
import { HOW_MANY, TIMEOUT } from './timeout.ts';
import { waitFor } from './wait-for.ts';

export const waitEvent = defineCommand({
  path: 'wait event',
  summary: 'Wait until events of a type were recorded.',
  args: { type: argument('event type', oneOf(EVENT_TYPES)) },
  options: {
    about: option('--for <id>', 'only about this order or case'),
    ...HOW_MANY,
    timeout: TIMEOUT,
  },
  examples: [`sandlot wait event order.recorded --for ${FIRST_ORDER}`],
  run: (call) =>
    waitFor(call, {
      for: 'event',
      type: call.args.type,
      id: call.options.about,
      count: call.options.count,
      exactly: call.options.exactly,
      timeout_ms: call.options.timeout,
    }),
});

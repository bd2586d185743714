import { ORDER_STATUSES } from '../../../store/schema/enums.ts';
import { defineCommand } from '../../command.ts';
import { argument, requiredOption } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { oneOf } from '../../values.ts';
import { TIMEOUT } from './timeout.ts';
import { waitFor } from './wait-for.ts';

export const waitOrder = defineCommand({
  path: 'wait order',
  summary: 'Wait until an order has been in a state, even if it has moved on since.',
  args: { id: argument('order id') },
  options: {
    state: requiredOption('--state <state>', 'the state to reach', oneOf(ORDER_STATUSES)),
    timeout: TIMEOUT,
  },
  examples: [`sandlot wait order ${FIRST_ORDER} --state EXTERNALLY_PAID --timeout 5s`],
  run: (call) =>
    waitFor(call, {
      for: 'order',
      id: call.args.id,
      state: call.options.state,
      timeout_ms: call.options.timeout,
    }),
});

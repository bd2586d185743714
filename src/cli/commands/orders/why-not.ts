import type { WhyNot } from '../../../market/orders/order.ts';
import { ORDER_STATUSES } from '../../../store/schema/enums.ts';
import { defineCommand } from '../../command.ts';
import { argument, requiredOption } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { oneOf } from '../../values.ts';

export const whyNot = defineCommand({
  path: 'orders why-not',
  summary: 'Why an order is not in a state, and the nearest legal route there.',
  args: { id: argument('order id') },
  options: {
    to: requiredOption('--to <state>', 'the state in question', oneOf(ORDER_STATUSES)),
  },
  examples: [`sandlot orders why-not ${FIRST_ORDER} --to SETTLED`],
  async run({ control, args, options, out }) {
    const path = `/orders/${encodeURIComponent(args.id)}/why-not`;
    const answer = await control().get<WhyNot>(path, { to: options.to });
    out.result(answer, ({ reason, route, open_moves }, { table, block }) => {
      const steps = table(
        [
          { heading: 'STEP', cell: (step) => step.action },
          { heading: 'TO', cell: (step) => step.to, firm: true },
          { heading: 'EVENT', cell: (step) => step.event },
        ],
        route,
      );
      const open = open_moves.map(({ action, to }) => `${action} (${to})`).join(', ');
      return [reason, ...(route.length > 0 ? ['', steps] : []), '', block([['open moves', open]])];
    });
  },
});

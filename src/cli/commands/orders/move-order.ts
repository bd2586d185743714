import type { OperatorInput } from '../../../market/orders/operate.ts';
import type { ControlOrderDetail } from '../../../market/orders/order.ts';
import type { OperatorAction } from '../../../market/orders/order-actions.ts';
import { type CommandContext, type CommandDeclaration, defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { showOrder } from './show-order.ts';

/** Asks for a move and shows the order as it is then. */
export async function moveOrder(
  { control, out }: CommandContext,
  id: string,
  input: OperatorInput,
): Promise<void> {
  const path = `/orders/${encodeURIComponent(id)}/advance`;
  out.result(await control().post<ControlOrderDetail>(path, input), showOrder);
}

/** A command that is one action on an order. */
export function actionCommand(action: OperatorAction, summary: string): CommandDeclaration {
  return defineCommand({
    path: `orders ${action}`,
    summary,
    args: { id: argument('order id') },
    options: { note: option('--note <text>', 'stands in the timeline') },
    examples: [`sandlot orders ${action} ${FIRST_ORDER}`],
    run: (call) => moveOrder(call, call.args.id, { action, ...call.options }),
  });
}

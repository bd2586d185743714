import { type CommandDeclaration, defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { SECOND_TRANSACTION } from '../../example-ids.ts';
import { type SaleShape, showSale } from './show-sale.ts';

/** A command that is one act on a marketplace-collected or brokered sale. */
export function saleCommand(act: 'deliver' | 'refund', summary: string): CommandDeclaration {
  return defineCommand({
    path: `transactions ${act}`,
    summary,
    args: { id: argument('transaction id') },
    examples: [`sandlot transactions ${act} ${SECOND_TRANSACTION}`],
    async run({ args, control, out }) {
      const path = `/transactions/${encodeURIComponent(args.id)}/${act}`;
      out.result(await control().post<SaleShape>(path), showSale);
    },
  });
}

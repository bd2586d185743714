import { defineCommand } from '../../command.ts';
import { option } from '../../declare.ts';

interface Settled {
  settled_count: number;
  orders: { public_id: string; partner_id: string; environment: string }[];
}

export const runSettlements = defineCommand({
  path: 'settlements run',
  summary: 'Close the settlement period up to now and settle its completed orders.',
  options: { partner: option('--partner <id>', 'only for this partner id') },
  examples: ['sandlot settlements run', 'sandlot settlements run --partner ptr_local'],
  async run({ control, options, out }) {
    const body = { partner_id: options.partner };
    out.result(await control().post<Settled>('/settlements/run', body), (document, { table }) => {
      const { settled_count: count, orders } = document;
      const head = `${count} ${count === 1 ? 'order' : 'orders'} settled`;
      if (count === 0) return head;
      const columns = [
        {
          heading: 'ORDER',
          whole: true,
          cell: (order: Settled['orders'][number]) => order.public_id,
        },
        { heading: 'PARTNER', cell: (order: Settled['orders'][number]) => order.partner_id },
        {
          heading: 'ENVIRONMENT',
          cell: (order: Settled['orders'][number]) => order.environment,
          firm: true,
        },
      ];
      return [head, '', table(columns, orders)];
    });
  },
});

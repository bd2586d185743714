import { formatMoney } from '../../../kernel/money.ts';
import { defineCommand } from '../../command.ts';
import { option } from '../../declare.ts';

interface PaidOut {
  payout_id: string;
  partner_id: string;
  environment: string;
  amount_cents: number;
  currency: string;
}

export const runPayouts = defineCommand({
  path: 'payouts run',
  summary: 'Pay every pending commission out.',
  options: { partner: option('--partner <id>', 'only for this partner id') },
  examples: ['sandlot payouts run', 'sandlot payouts run --partner ptr_local'],
  async run({ control, options, out }) {
    const body = { partner_id: options.partner };
    const paid = await control().post<{ payouts: PaidOut[] }>('/payouts/run', body);
    out.result(paid, ({ payouts }, { table }) => {
      if (payouts.length === 0) return 'no commission is pending';
      return table<PaidOut>(
        [
          { heading: 'PAYOUT', whole: true, cell: (payout) => payout.payout_id },
          { heading: 'PARTNER', cell: (payout) => payout.partner_id },
          { heading: 'ENVIRONMENT', cell: (payout) => payout.environment },
          {
            heading: 'AMOUNT',
            cell: (payout) => formatMoney(payout.amount_cents, payout.currency),
          },
        ],
        payouts,
      );
    });
  },
});

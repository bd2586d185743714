import { formatMoney } from '../../../kernel/money.ts';
import { CASE_STATUSES } from '../../../store/schema/enums.ts';
import { defineCommand } from '../../command.ts';
import { argument, option, requiredOption } from '../../declare.ts';
import { FIRST_CASE } from '../../example-ids.ts';
import { oneOf, wholeNumber } from '../../values.ts';

interface CaseShape {
  case_id: string;
  domain: string;
  tier: string;
  status: string;
  budget_cents: number;
  deal_price_cents?: number;
  currency: string;
  progress_url: string;
  timeline: { status: string; at: string; event: string | null }[];
}

export const advanceBrokerage = defineCommand({
  path: 'brokerage advance',
  summary: 'Move a brokerage case; COMPLETED is a deal and books its commission.',
  args: { id: argument('case id') },
  options: {
    to: requiredOption('--to <state>', 'state to reach', oneOf(CASE_STATUSES)),
    dealPrice: option(
      '--deal-price <cents>',
      'price of the deal in cents (default: the budget)',
      wholeNumber(1),
    ),
  },
  examples: [
    `sandlot brokerage advance ${FIRST_CASE} --to NEGOTIATING`,
    `sandlot brokerage advance ${FIRST_CASE} --to COMPLETED --deal-price 450000`,
  ],
  async run({ args, control, options, out }) {
    const path = `/brokerage/${encodeURIComponent(args.id)}/advance`;
    const body = { to: options.to, deal_price_cents: options.dealPrice };
    out.result(await control().post<CaseShape>(path, body), (found, { block, table }) => [
      block([
        ['case', found.case_id],
        ['domain', `${found.domain}, ${found.tier}`],
        ['status', found.status],
        ['budget', formatMoney(found.budget_cents, found.currency)],
        [
          'deal',
          found.deal_price_cents === undefined
            ? 'none'
            : formatMoney(found.deal_price_cents, found.currency),
        ],
        ['progress', found.progress_url],
      ]),
      '',
      table<CaseShape['timeline'][number]>(
        [
          { heading: 'AT', firm: true, cell: (entry) => entry.at },
          { heading: 'STATUS', firm: true, cell: (entry) => entry.status },
          { heading: 'EVENT', cell: (entry) => entry.event ?? '' },
        ],
        found.timeline,
      ),
    ]);
  },
});

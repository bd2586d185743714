import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { FIRST_SESSION } from '../../example-ids.ts';
import { UsageError } from '../../failures.ts';
import { type SaleShape, showSale } from '../transactions/show-sale.ts';

export const payCheckout = defineCommand({
  path: 'checkout pay',
  summary: 'Pay a hosted checkout as its buyer would.',
  args: { id: argument('session id') },
  options: {
    email: option('--email <address>', "the buyer's e-mail address"),
    name: option('--name <name>', "the buyer's name"),
    country: option('--country <code>', "the buyer's country, two letters"),
  },
  examples: [
    `sandlot checkout pay ${FIRST_SESSION}`,
    `sandlot checkout pay ${FIRST_SESSION} --email ada@example.com --country GB`,
  ],
  async run({ args, control, options, out }) {
    const { email, name, country } = options;
    if (email === undefined && (name !== undefined || country !== undefined)) {
      throw new UsageError('--email: a buyer with a name or country needs an e-mail address too');
    }
    const body = email === undefined ? {} : { buyer: { email, name, country } };
    const path = `/checkout-sessions/${encodeURIComponent(args.id)}/pay`;
    out.result(await control().post<SaleShape>(path, body), showSale);
  },
});

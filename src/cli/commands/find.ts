import { type CommandModule, command, exampleId, printNextPage, WIDE } from '../command.ts';
import { callRoute, optionsOf } from '../endpoints.ts';
import { argument } from '../options.ts';

const ORDER = exampleId('ord');

const find = command('find', {
  readOnly: true,
  summary: 'Find an object by ID or name, or requests, events and deliveries by text and filters.',
  details:
    'Takes an ID of any kind, a domain, a key ID, an external_payment_ref, an Idempotency-Key or a nonce. Other text is searched in requests, events and deliveries. Filters are those of "requests list --where". "advance ID", "why-not ID STATE", "resend ID" and "retry ID" list what can be done, and change nothing. The box of the dashboard finds the same.',
  args: { text: argument<string[]>('<text...>', 'ID, name, text, filters or action') },
  options: { ...optionsOf('GET /find', {}, ['limit', 'cursor']), wide: WIDE },
  examples: [
    `sandlot find ${ORDER}`,
    'sandlot find held-order.test',
    "sandlot find 'status:4xx -code:conflict path:/orders'",
    `sandlot find why-not ${ORDER} SETTLED`,
  ],
  async run({ control, args, options, out }) {
    const { wide, ...page } = options;
    const input = { ...page, q: args.text.join(' ') };
    const [matches, { findResult }] = await Promise.all([
      callRoute(control(), 'GET /find', {}, input),
      import('../../control/find-result.ts'),
    ]);
    out.result(matches, ({ results }, { colors, table }) =>
      results.length === 0
        ? colors.dim('nothing found')
        : table(findResult.columns(), results, { isWide: wide }),
    );
    printNextPage(out, matches);
  },
});

export const finding: CommandModule = { group: 'Requests', commands: [find] };

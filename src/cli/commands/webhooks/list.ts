import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import type { Page, RegistrationShape } from '../../shapes.ts';
import { shortTime } from '../../times.ts';

export const listWebhooks = defineCommand({
  path: 'webhooks list',
  summary: 'The registered webhook urls of every partner.',
  options: PAGE_OPTIONS,
  examples: ['sandlot webhooks list'],
  async run({ control, options, out }) {
    const document = await control().get<Page & { webhooks: RegistrationShape[] }>(
      '/webhooks',
      options,
    );
    out.result(document, ({ webhooks }, { table, paint }) =>
      webhooks.length === 0
        ? paint.faint('nobody is registered; a partner registers with PUT /api/partner/webhooks')
        : table(
            [
              { heading: 'URL', cell: (each) => each.url, whole: true },
              { heading: 'PARTNER', cell: (each) => each.partner },
              { heading: 'ENVIRONMENT', cell: (each) => each.environment, firm: true },
              { heading: 'PENDING', cell: (each) => each.pending_deliveries, align: 'right' },
              { heading: 'SINCE', firm: true, cell: (each) => shortTime(each.updated_at) },
            ],
            webhooks,
          ),
    );
    tellNextPage(out, document);
  },
});

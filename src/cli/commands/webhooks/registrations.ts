import type { PageOf } from '../../../kernel/resource.ts';
import type { ControlRegistration } from '../../../webhooks/registration.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { shortTime } from '../../times.ts';

export const listRegistrations = defineCommand({
  path: 'webhooks registrations',
  summary: 'List the registered webhook urls of every partner.',
  options: PAGE_OPTIONS,
  examples: ['sandlot webhooks registrations'],
  async run({ control, options, out }) {
    const document = await control().get<PageOf<'webhooks', ControlRegistration>>(
      '/webhooks',
      options,
    );
    out.result(document, ({ webhooks }, { table, paint }) =>
      webhooks.length === 0
        ? paint.faint('no webhook url is registered; register one with: sandlot webhooks register')
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

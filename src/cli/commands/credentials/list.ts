import type { PageOf } from '../../../kernel/resource.ts';
import type { ControlCredential } from '../../../market/partners/credential.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';

export const listCredentials = defineCommand({
  path: 'credentials list',
  summary: 'The credentials of a world, without their secrets.',
  options: PAGE_OPTIONS,
  examples: ['sandlot credentials list', 'sandlot credentials list --limit 100 --json'],
  async run({ control, options, out }) {
    const document = await control().get<PageOf<'credentials', ControlCredential>>(
      '/credentials',
      options,
    );
    out.result(document, ({ credentials }, { table, paint }) =>
      credentials.length === 0
        ? paint.faint('no credentials')
        : table(
            [
              { heading: 'KEY ID', cell: (each) => each.key_id, whole: true },
              { heading: 'PARTNER', cell: (each) => each.partner },
              {
                heading: 'ENVIRONMENT',
                firm: true,
                cell: (each) => each.environment + (each.approved ? '' : ', not approved'),
              },
              { heading: 'SCOPES', cell: (each) => each.scopes.join(',') },
            ],
            credentials,
          ),
    );
    tellNextPage(out, document);
  },
});

import type { PageOf } from '../../../kernel/resource.ts';
import type { ControlWorld } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { shortTime } from '../../times.ts';

export const listWorlds = defineCommand({
  path: 'worlds list',
  summary: 'The worlds of this server, by name.',
  options: PAGE_OPTIONS,
  examples: ['sandlot worlds list'],
  async run({ control, options, out }) {
    const document = await control().get<PageOf<'worlds', ControlWorld>>('/worlds', options);
    out.result(document, ({ worlds }, { table }) =>
      table(
        [
          { heading: 'WORLD', cell: (world) => world.name, whole: true },
          { heading: 'SEED', cell: (world) => world.seed },
          {
            heading: 'CLOCK',
            firm: true,
            cell: ({ clock }) => shortTime(clock.now) + (clock.frozen ? ', frozen' : ''),
          },
          { heading: 'CREATED', firm: true, cell: (world) => shortTime(world.created_at) },
        ],
        worlds,
      ),
    );
    tellNextPage(out, document);
  },
});

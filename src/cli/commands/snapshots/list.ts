import type { PageOf } from '../../../kernel/resource.ts';
import type { ControlSnapshot } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { shortTime } from '../../times.ts';
import { sizeText } from './show-snapshot.ts';

export const listSnapshots = defineCommand({
  path: 'snapshots list',
  summary: 'The snapshots of a world, by name.',
  options: PAGE_OPTIONS,
  examples: ['sandlot snapshots list', 'sandlot snapshots list --limit 5 --json'],
  async run({ control, options, out }) {
    const page = await control().get<PageOf<'snapshots', ControlSnapshot>>('/snapshots', options);
    out.result(page, ({ snapshots }, { table, paint }) =>
      table(
        [
          { heading: 'SNAPSHOT', cell: ({ name }) => name, whole: true },
          { heading: 'CLOCK', firm: true, cell: ({ clock }) => clock && shortTime(clock.now) },
          {
            heading: 'SAVED',
            firm: true,
            cell: (each) => each.created_at && shortTime(each.created_at),
          },
          { heading: 'SIZE', cell: sizeText, align: 'right' },
          {
            heading: 'PROBLEM',
            cell: ({ problem }) => problem,
            paint: (text, { problem }) => (problem === null ? text : paint.bad(text)),
          },
        ],
        snapshots,
      ),
    );
    tellNextPage(out, page);
  },
});

import { formatDuration } from '../../../kernel/time.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import type { ClockShape, Page, UpcomingShape } from '../../shapes.ts';
import { shortTime } from '../../times.ts';

export const showUpcoming = defineCommand({
  path: 'clock upcoming',
  summary: 'What falls due, and when, soonest first.',
  options: PAGE_OPTIONS,
  examples: ['sandlot clock upcoming'],
  async run({ control, options, out }) {
    const door = control();
    const document = await door.get<Page & { upcoming: UpcomingShape[] }>(
      '/clock/upcoming',
      options,
    );
    // What people are told besides, a script can ask for.
    const { now } = out.json ? { now: '' } : await door.get<ClockShape>('/clock');
    const until = (at: string) => formatDuration(Math.max(0, Date.parse(at) - Date.parse(now)));
    out.result(document, ({ upcoming }, { table, paint }) =>
      upcoming.length === 0
        ? paint.faint('nothing falls due')
        : table(
            [
              { heading: 'IN', cell: ({ at }) => until(at), align: 'right' },
              { heading: 'AT', cell: ({ at }) => shortTime(at), firm: true },
              { heading: 'WHAT', cell: ({ what }) => what },
            ],
            upcoming,
          ),
    );
    tellNextPage(out, document);
  },
});

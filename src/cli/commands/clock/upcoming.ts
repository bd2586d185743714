import type { UpcomingItem } from '../../../control/clock.ts';
import type { PageOf } from '../../../kernel/resource.ts';
import { formatDuration } from '../../../kernel/time.ts';
import type { ControlClock } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { shortTime } from '../../times.ts';

export const showUpcoming = defineCommand({
  path: 'clock upcoming',
  summary: 'What falls due, and when, soonest first.',
  options: PAGE_OPTIONS,
  examples: ['sandlot clock upcoming'],
  async run({ control, options, out }) {
    const door = control();
    const document = await door.get<PageOf<'upcoming', UpcomingItem>>('/clock/upcoming', options);
    // What people are told besides, a script can ask for.
    const { now } = out.json ? { now: '' } : await door.get<ControlClock>('/clock');
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

import type { ControlEvent } from '../../../control/events.ts';
import { EVENT_TYPES } from '../../../events/event-types.ts';
import type { PageOf } from '../../../kernel/resource.ts';
import { defineCommand } from '../../command.ts';
import { option } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { shortTime } from '../../times.ts';
import { oneOf } from '../../values.ts';

export const listEvents = defineCommand({
  path: 'events list',
  summary: 'Events of every partner, newest first.',
  options: {
    type: option('--type <type>', 'only events of this type', oneOf(EVENT_TYPES)),
    about: option('--for <id>', 'only events about this order or case'),
    ...PAGE_OPTIONS,
  },
  examples: [
    'sandlot events list',
    `sandlot events list --for ${FIRST_ORDER}`,
    'sandlot events list --type order.recorded --limit 1 --json',
  ],
  async run({ control, options, out }) {
    const { about, ...query } = options;
    const document = await control().get<PageOf<'events', ControlEvent>>('/events', {
      ...query,
      subject_id: about,
    });
    out.result(document, ({ events }, { table, paint }) =>
      events.length === 0
        ? paint.faint('no events')
        : table(
            [
              { heading: 'EVENT', cell: (event) => event.id, whole: true },
              { heading: 'TYPE', firm: true, cell: (event) => event.type },
              { heading: 'ABOUT', cell: (event) => event.subject_id, whole: true },
              { heading: 'AT', cell: (event) => shortTime(event.created_at), firm: true },
            ],
            events,
          ),
    );
    tellNextPage(out, document);
  },
});

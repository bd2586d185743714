import type { PageOf } from '../../../kernel/resource.ts';
import { describeOutcome } from '../../../requests/describe.ts';
import type { LoggedRequest } from '../../../requests/logged-request.ts';
import { defineCommand } from '../../command.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { shortTime } from '../../times.ts';
import { filterQuery, REQUEST_FILTERS } from './filters.ts';
import { paintOutcome } from './request-line.ts';

export const listRequests = defineCommand({
  path: 'requests list',
  summary: 'List requests of both APIs and the hosted pages, newest first.',
  details:
    'The newest 10,000 are kept, also across restarts. Of the control API, the log has the calls that act: all but GET, idle, wait, stop and "requests clear". "sandlot requests show ID" says why each was answered so.',
  options: { ...REQUEST_FILTERS, ...PAGE_OPTIONS },
  examples: [
    'sandlot requests list',
    'sandlot requests list --status 4xx --path /orders',
    'sandlot requests list --api control',
    'sandlot requests list --code invalid_signature --limit 1 --json',
  ],
  async run({ control, options, out }) {
    const { limit, cursor, ...filters } = options;
    const document = await control().get<PageOf<'requests', LoggedRequest>>('/requests', {
      ...filterQuery(filters),
      limit,
      cursor,
    });
    out.result(document, ({ requests }, paper) =>
      requests.length === 0
        ? paper.paint.faint('no requests')
        : paper.table(
            [
              { heading: 'REQUEST', cell: (request) => request.request_id, whole: true },
              { heading: 'AT', cell: (request) => shortTime(request.at), firm: true },
              { heading: 'ANSWER', cell: describeOutcome, paint: paintOutcome(paper) },
              { heading: 'MS', cell: (request) => request.duration_ms.toFixed(1), align: 'right' },
              { heading: 'METHOD', cell: (request) => request.method, firm: true },
              { heading: 'TARGET', cell: (request) => request.target },
            ],
            requests,
          ),
    );
    tellNextPage(out, document);
  },
});

import { and, inArray, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { pageQuery, requiredText } from '../http/fields.ts';
import { resource } from '../kernel/resource.ts';
import { withPartner } from '../market/partners/credentials.ts';
import { hasText } from '../requests/conditions.ts';
import { requests } from '../requests/log-file.ts';
import { type RequestDetail, requestDetail, requestPage } from '../requests/logged-request.ts';
import { APIS } from '../requests/message.ts';
import { filterBy, mapPage, paginate, readCursor } from '../store/paging.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, del, get, named } from './endpoint.ts';
import { withSubjects } from './request-subjects.ts';
import { streamRequests } from './streams.ts';
import { REQUEST_FILTERS, readWhere } from './where.ts';

const filters = {
  where: requiredText(1_000)
    .optional()
    .describe(
      `Filters, joined by spaces and negated by \`-\`: ${Object.keys(REQUEST_FILTERS).join(', ')}.`,
    ),
  api: z
    .enum([...APIS, 'all'])
    .optional()
    .describe('API that was called. By default: `partner` and `page`.'),
  text: requiredText(500)
    .optional()
    .describe('Text in the target, a header, a body, the response or the trace, ignoring case.'),
};

const cleared = resource('Cleared', 'The log is empty.', ({ constant }) => ({
  cleared: constant(true),
}));

export const requestEndpoints = named({
  getRequests: get('/requests', {
    summary: 'List requests of the partner API and the hosted pages, newest first.',
    description:
      'Calls of the partner API and views of hosted pages; `api` adds control API calls that act (all but GET, `idle`, `wait`, `stop` and clearing the log). A control API call is in the log of the world that it names.',
    query: () => z.object({ ...filters, ...pageQuery() }),
    response: requestPage,
    read: ({ tx, world, context: { requests: log }, query: { cursor, limit, ...query } }) => {
      const where = conditionOf(query, world);
      const page = { cursor, limit };
      const before = readCursor(tx, 'requests', page);
      const last = before === undefined ? undefined : Number(before) - 1;
      const entries = log.list(world, { where, last, limit: limit + 1 });
      const list = paginate(tx, 'requests', entries, page, ({ seq }) => String(seq));
      return { ...mapPage(list, withSubjects), total: log.count(world, where) };
    },
  }),

  getRequestStream: get('/requests/stream', {
    summary: 'Stream logged requests as server-sent events.',
    description: 'Each event is a `request` of the list. Ends when the world is deleted.',
    query: () => z.object(filters),
    streamTypes: ['text/event-stream'],
    handle: (call) => streamRequests(call, conditionOf(call.query, call.world)),
  }),

  getRequest: get('/requests/:id', {
    summary: 'Show a request with its response and decision trace.',
    description: 'Secrets, signatures and card numbers are redacted.',
    response: requestDetail,
    handle: ({ world, context, params }) => entryOf(world, context, params.id),
  }),

  deleteRequests: del('/requests', {
    summary: 'Clear the request log of a world.',
    description:
      'Deletes the requests of the world, and of deleted worlds. The call itself is not logged.',
    logged: false,
    response: cleared,
    handle({ world, context }) {
      const existing = context.worlds.list().map(({ name }) => name);
      context.requests.clear(world, existing);
      return {};
    },
  }),
});

export function detailOf(...args: Parameters<typeof entryOf>): RequestDetail {
  return requestDetail.view(entryOf(...args));
}

/** @param field name of the input field with the id, for errors */
function entryOf(world: World, context: ControlContext, id: string, field = 'request_id') {
  const entry = context.requests.require(world, id, field);
  const { partnerId } = entry;
  return world.read((tx) => ({
    ...withSubjects(entry),
    partner: partnerId === null ? null : withPartner(tx, { partnerId }).partner,
  }));
}

type FilterQuery = { [Name in keyof typeof filters]?: z.output<(typeof filters)[Name]> };

function conditionOf({ where = '', api, text }: FilterQuery, { clock }: World): SQL | undefined {
  const { conditions } = readWhere(where, { field: 'where', now: clock.now() });
  return and(
    // Control API calls are left out by default: most are made by tests and by the dashboard.
    api === undefined ? inArray(requests.api, ['partner', 'page']) : undefined,
    api === 'all' ? undefined : filterBy(requests.api, api),
    ...conditions,
    text === undefined ? undefined : hasText(text),
  );
}

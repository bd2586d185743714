import { z } from 'zod';
import { oneOf, pageQuery, requiredText } from '../http/fields.ts';
import { ERROR_CODES } from '../kernel/errors.ts';
import { resource } from '../kernel/resource.ts';
import { withPartner } from '../market/partners/credentials.ts';
import type { RequestFilter } from '../requests/list-requests.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import { type RequestDetail, requestDetail, requestPage } from '../requests/logged-request.ts';
import { APIS, type Api } from '../requests/message.ts';
import {
  type CountedPage,
  mapPage,
  type PageRequest,
  paginate,
  readCursor,
} from '../store/paging.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, del, get, named } from './endpoint.ts';
import { withSubjects } from './request-subjects.ts';
import { streamRequests } from './streams.ts';
import { REQUEST_FILTERS, readWhere, STATUS_ACCEPTS, STATUS_PATTERN } from './where.ts';

const filters = {
  where: requiredText(1_000)
    .optional()
    .describe(
      `Filters, joined by spaces and negated by \`-\`: ${Object.keys(REQUEST_FILTERS).join(', ')}.`,
    ),
  status: z
    .string()
    .regex(STATUS_PATTERN, `must be ${STATUS_ACCEPTS}`)
    .optional()
    .describe(
      'A status such as `404`, a class such as `4xx`, `error` for 400 and above, or `closed`.',
    ),
  code: oneOf(ERROR_CODES).optional().describe('Error code of the response.'),
  method: requiredText(10).optional().describe('HTTP method.'),
  path: requiredText(500).optional().describe('Part of the path or query; `*` matches any text.'),
  key_id: requiredText(200).optional().describe('Only requests of this credential.'),
  api: oneOf([...APIS, 'all'])
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
    handle: async ({ world, context, query: { cursor, limit, ...query } }) => {
      const filter = filterOf(query, world);
      const list = await searchRequests(world, context, filter, { cursor, limit });
      return world.read((tx) => mapPage(list, (entry) => withSubjects(tx, entry)));
    },
  }),

  getRequestStream: get('/requests/stream', {
    summary: 'Stream logged requests as server-sent events.',
    description:
      'Server-sent events: `request`, with what the list shows. The same filters as the list. Ends when the world is deleted.',
    query: () => z.object(filters),
    streamTypes: ['text/event-stream'],
    handle: (call) => streamRequests(call, filterOf(call.query, call.world)),
  }),

  getRequest: get('/requests/:id', {
    summary: 'Show a request with its response and decision trace.',
    description:
      'With headers, bodies and the decision trace. Secrets, signatures and card numbers are redacted.',
    response: requestDetail,
    handle: ({ world, context, params }) => entryOf(world, context, params.id),
  }),

  deleteRequests: del('/requests', {
    summary: 'Clear the request log of a world.',
    description:
      'Deletes the requests of the world, and of deleted worlds. The call itself is not logged.',
    logged: false,
    response: cleared,
    async handle({ world, context }) {
      context.requests.clear(
        world,
        context.worlds.list().map(({ name }) => name),
      );
      world.forgetBase();
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
    ...withSubjects(tx, entry),
    partner: partnerId === null ? null : withPartner(tx, { partnerId }).partner,
  }));
}

/** Lists a page of the requests that match a filter. @throws validation_error for a cursor of another list */
export function searchRequests(
  world: World,
  { requests }: ControlContext,
  filter: RequestFilter,
  page: PageRequest,
): CountedPage<RequestLogEntry> {
  const cursor = world.read((tx) => readCursor(tx, 'requests', page));
  const span = cursor === undefined ? {} : { last: Number(cursor) - 1 };
  const entries = requests.list(world, filter, { ...span, limit: page.limit + 1 });
  return world.read((tx) => ({
    ...paginate(tx, 'requests', entries, page, ({ seq }) => String(seq)),
    total: requests.count(world, filter),
  }));
}

/** Control API calls are left out: most are made by tests and by the dashboard. */
const LISTED_BY_DEFAULT = [{ api: 'partner' }, { api: 'page' }] as const;

function filterOf(
  {
    key_id: keyId,
    api,
    where = '',
    ...conditions
  }: Omit<RequestFilter, 'keyId' | 'api'> & {
    key_id?: string | undefined;
    api?: Api | 'all' | undefined;
    where?: string | undefined;
  },
  { clock }: World,
): RequestFilter {
  const options = { field: 'where', now: clock.now() };
  const { allOf, names } = readWhere(where, options);
  const filter = { keyId, ...conditions, allOf };
  if (api === undefined && !names.includes('api')) return { ...filter, anyOf: LISTED_BY_DEFAULT };
  return { ...filter, api: api === 'all' ? undefined : api };
}

import { z } from 'zod';
import { isoTimeText, oneOf, pageQuery, requiredText } from '../http/fields.ts';
import { ERROR_CODES } from '../kernel/errors.ts';
import { listRequests, type RequestFilter, requireRequest } from '../requests/list-requests.ts';
import {
  clearedSchema,
  requestDetailSchema,
  requestPageSchema,
} from '../requests/request-schema.ts';
import { requestDetailView, requestView } from '../requests/views.ts';
import { cutPage, readCursor } from '../store/paging.ts';
import { controlEndpoint } from './endpoint.ts';
import { streamRequests } from './request-stream.ts';

const filters = {
  status: z
    .string()
    .regex(/^([1-5]\d\d|[1-5]xx|cut)$/, 'must be a status such as 404, a class such as 4xx, or cut')
    .optional(),
  code: oneOf(ERROR_CODES).optional(),
  method: requiredText(10).optional(),
  path: requiredText(500).optional(),
  key_id: requiredText(200).optional(),
  door: oneOf(['partner', 'page']).optional(),
  text: requiredText(500).optional(),
  from: isoTimeText().optional(),
  to: isoTimeText().optional(),
};

export const getRequests = controlEndpoint({
  name: 'getRequests',
  method: 'GET',
  path: '/requests',
  summary: 'Requests of partners and visits of pages, newest first.',
  query: z.object({ ...filters, ...pageQuery() }),
  status: 200,
  answer: requestPageSchema,
  handle: ({ world, machinery, query: { cursor, limit, ...query } }) =>
    world.peek((tx) => {
      const page = { cursor, limit };
      const before = readCursor(tx, 'requests', page);
      const log = machinery.requests.of(world).write();
      const found = listRequests(log, filterOf(query), {
        before: before === undefined ? undefined : Number(before),
        limit: limit + 1,
      });
      const { rows, next_cursor } = cutPage(tx, 'requests', found, page, ({ seq }) => String(seq));
      return { requests: rows.map((row) => requestView(tx.world.seed, row)), next_cursor };
    }),
});

export const getRequest = controlEndpoint({
  name: 'getRequest',
  method: 'GET',
  path: '/requests/:id',
  summary: 'One request: what came, every check with its verdict, what was answered.',
  params: z.object({ id: z.string() }),
  status: 200,
  answer: requestDetailSchema,
  handle: ({ world, machinery, params }) => {
    const { seed } = world.identity;
    return requestDetailView(
      seed,
      requireRequest(machinery.requests.of(world).write(), seed, params.id),
    );
  },
});

export const getRequestStream = controlEndpoint({
  name: 'getRequestStream',
  method: 'GET',
  path: '/requests/stream',
  summary: 'Requests as they come, as server-sent events.',
  query: z.object(filters),
  status: 200,
  streamTypes: ['text/event-stream'],
  handle: ({ world, machinery, query, signal }) =>
    streamRequests(world, machinery, filterOf(query), signal),
});

export const deleteRequests = controlEndpoint({
  name: 'deleteRequests',
  method: 'DELETE',
  path: '/requests',
  summary: 'Empties the request log of a world.',
  status: 200,
  answer: clearedSchema,
  handle: ({ world, machinery }) => {
    machinery.requests.of(world).clear();
    return { cleared: true };
  },
});

function filterOf({
  key_id: keyId,
  ...rest
}: Omit<RequestFilter, 'keyId'> & { key_id?: string | undefined }): RequestFilter {
  return { keyId, ...rest };
}

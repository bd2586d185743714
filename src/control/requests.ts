import { z } from 'zod';
import { printCurl } from '../client/print-curl.ts';
import { isoTimeText, oneOf, pageQuery, requiredText } from '../http/fields.ts';
import { conflict, ERROR_CODES } from '../kernel/errors.ts';
import { documented } from '../kernel/resource.ts';
import { requireCredential } from '../market/partners/credentials.ts';
import { APIS } from '../requests/apis.ts';
import { listRequests, type RequestFilter, requireRequest } from '../requests/list-requests.ts';
import { markdownOf } from '../requests/markdown.ts';
import {
  clearedSchema,
  requestCurlSchema,
  requestDetailSchema,
  requestMarkdownSchema,
  requestPageSchema,
} from '../requests/request-schema.ts';
import { signAgain, whyNotAgain } from '../requests/sign-again.ts';
import { type RequestDetail, requestDetailView, requestView } from '../requests/views.ts';
import { cutPage, readCursor } from '../store/paging.ts';
import type { World } from '../world/world.ts';
import { controlEndpoint, type Machinery } from './endpoint.ts';
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
  api: oneOf(APIS).optional(),
  text: requiredText(500).optional(),
  from: isoTimeText().optional(),
  to: isoTimeText().optional(),
};

export const getRequests = controlEndpoint({
  name: 'getRequests',
  method: 'GET',
  path: '/requests',
  summary:
    'List calls of both APIs and views of hosted pages, newest first. Of control API calls, those that act.',
  query: () => z.object({ ...filters, ...pageQuery() }),
  status: 200,
  response: documented(requestPageSchema),
  handle: ({ world, machinery, query: { cursor, limit, ...query } }) =>
    world.peek((tx) => {
      const page = { cursor, limit };
      const before = readCursor(tx, 'requests', page);
      const log = machinery.requests.of(world);
      const found = listRequests(log.write(), filterOf(query), {
        before: before === undefined ? undefined : Number(before),
        limit: limit + 1,
      });
      const { rows, next_cursor } = cutPage(tx, 'requests', found, page, ({ seq }) => String(seq));
      return { requests: rows.map((row) => requestView(log.ids, row)), next_cursor };
    }),
});

export const getRequest = controlEndpoint({
  name: 'getRequest',
  method: 'GET',
  path: '/requests/:id',
  summary: 'One request: what came, every check with its verdict, what was answered.',
  params: () => z.object({ id: z.string() }),
  status: 200,
  response: documented(requestDetailSchema),
  handle: ({ world, machinery, params }) => detailOf(world, machinery, params.id),
});

export const getRequestMarkdown = controlEndpoint({
  name: 'getRequestMarkdown',
  method: 'GET',
  path: '/requests/:id/markdown',
  summary: 'One request as Markdown, to paste into a ticket.',
  params: () => z.object({ id: z.string() }),
  status: 200,
  response: documented(requestMarkdownSchema),
  handle: ({ world, machinery, params }) => ({
    markdown: markdownOf(detailOf(world, machinery, params.id)),
  }),
});

export const getRequestCurl = controlEndpoint({
  name: 'getRequestCurl',
  method: 'GET',
  path: '/requests/:id/curl',
  summary: 'The same call as a curl command line, signed now by the key that sent it.',
  params: () => z.object({ id: z.string() }),
  errors: { conflict: '' },
  status: 200,
  response: documented(requestCurlSchema),
  handle: ({ world, machinery, params }) => {
    const request = detailOf(world, machinery, params.id);
    const problem = whyNotAgain(request);
    if (problem !== undefined) throw conflict(`curl: ${problem}`);
    const keyId = request.key_id ?? '';
    const { secret } = world.peek((tx) => requireCredential(tx, keyId));
    const key = { key_id: keyId, secret };
    const curl = printCurl(
      signAgain(machinery.about.baseUrl(), request, key, machinery.runtime.now()),
    );
    if (curl === undefined) throw conflict('curl: the body is no text');
    return { curl };
  },
});

export const getRequestStream = controlEndpoint({
  name: 'getRequestStream',
  method: 'GET',
  path: '/requests/stream',
  summary: 'Requests as they come, as server-sent events.',
  query: () => z.object(filters),
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
  logged: false,
  status: 200,
  response: documented(clearedSchema),
  handle: ({ world, machinery }) => {
    machinery.requests.of(world).clear();
    return { cleared: true };
  },
});

function detailOf(world: World, { requests }: Machinery, id: string): RequestDetail {
  const log = requests.of(world);
  return requestDetailView(log.ids, requireRequest(log.write(), log.ids, id));
}

function filterOf({
  key_id: keyId,
  ...rest
}: Omit<RequestFilter, 'keyId'> & { key_id?: string | undefined }): RequestFilter {
  return { keyId, ...rest };
}

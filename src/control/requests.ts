import { z } from 'zod';
import { printCurl } from '../client/curl.ts';
import { isoTimeText, oneOf, pageQuery, requiredText } from '../http/fields.ts';
import { conflict, ERROR_CODES } from '../kernel/errors.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { requireCredential, withPartner } from '../market/partners/credentials.ts';
import type { RequestFilter } from '../requests/list-requests.ts';
import { type RequestDetail, requestDetail, requestPage } from '../requests/logged-request.ts';
import { markdownOf } from '../requests/markdown.ts';
import { APIS, type Api } from '../requests/message.ts';
import { reSign, reSignProblem } from '../requests/re-sign.ts';
import { mapPage, paginate, readCursor } from '../store/paging.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, del, get, named } from './endpoint.ts';
import { explainReservation } from './request-of-quote.ts';
import { withSubjects } from './request-subjects.ts';
import { streamRequests } from './streams.ts';

const filters = {
  status: z
    .string()
    .regex(
      /^([1-5]\d\d|[1-5]xx|closed)$/,
      'must be a status such as 404, a class such as 4xx, or closed',
    )
    .optional()
    .describe('A status such as `404`, a class such as `4xx`, or `closed`.'),
  code: oneOf(ERROR_CODES).optional().describe('Error code of the response.'),
  method: requiredText(10).optional().describe('HTTP method.'),
  path: requiredText(500).optional().describe('Part of the path or query; `*` matches any text.'),
  key_id: requiredText(200).optional().describe('Only requests of this credential.'),
  api: oneOf([...APIS, 'all'])
    .optional()
    .describe('API that was called. By default: `partner` and `page`.'),
  text: requiredText(500)
    .optional()
    .describe('Text in the target, a header, a body, the response or the trace, in any case.'),
  from: isoTimeText().optional().describe('Only requests at or after this time.'),
  to: isoTimeText().optional().describe('Only requests before this time.'),
};

const requestMarkdown = resource(
  'RequestMarkdown',
  'A request as text for a ticket.',
  ({ text }: Fields<{ markdown: string }>) => ({ markdown: text() }),
);

const requestCurl = resource(
  'RequestCurl',
  'A request as a curl command; its signature is valid for five minutes.',
  ({ text }: Fields<{ curl: string }>) => ({ curl: text() }),
);

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
    read: ({ tx, world, context, query: { cursor, limit, ...query } }) => {
      const page = { cursor, limit };
      const before = readCursor(tx, 'requests', page);
      const found = context.requests.of(world).list(filterOf(query), {
        before: before === undefined ? undefined : Number(before),
        limit: limit + 1,
      });
      const entries = paginate(tx, 'requests', found, page, ({ seq }) => String(seq));
      return mapPage(entries, (entry) => withSubjects(tx, entry));
    },
  }),

  getRequestStream: get('/requests/stream', {
    summary: 'Stream logged requests as server-sent events.',
    description:
      'Server-sent events: `request`, with what the list shows. The same filters as the list. Ends when the world is deleted.',
    query: () => z.object(filters),
    streamTypes: ['text/event-stream'],
    handle: (call) => streamRequests(call, filterOf(call.query)),
  }),

  getRequest: get('/requests/:id', {
    summary: 'Show a request with its response and decision trace.',
    description:
      'With headers, bodies and the decision trace. Secrets, signatures and card numbers are redacted.',
    response: requestDetail,
    handle: ({ world, context, params }) => entryOf(world, context, params.id),
  }),

  getRequestMarkdown: get('/requests/:id/markdown', {
    summary: 'Show a request as Markdown for a ticket.',
    description: 'The same as the detail, as text for an issue or a support ticket.',
    response: requestMarkdown,
    handle: ({ world, context, params }) => ({
      markdown: markdownOf(detailOf(world, context, params.id)),
    }),
  }),

  getRequestCurl: get('/requests/:id/curl', {
    summary: 'Show a request as a curl command, signed now with the same credential.',
    description:
      'The signature is valid for five minutes. 409 `conflict` if the request is not signed, or if the log does not have its complete body.',
    response: requestCurl,
    handle: ({ world, context, params }) => {
      const request = detailOf(world, context, params.id);
      const problem = reSignProblem(request);
      if (problem !== undefined) throw conflict(`curl: ${problem}`);
      const keyId = request.key_id ?? '';
      const { secret } = world.read((tx) => requireCredential(tx, keyId));
      const key = { key_id: keyId, secret };
      const curl = printCurl(reSign(context.about.baseUrl(), request, key, context.runtime.now()));
      if (curl === undefined) throw conflict('curl: the body is not text');
      return { curl };
    },
  }),

  deleteRequests: del('/requests', {
    summary: 'Clear the request log of a world.',
    description: 'Request ids start over. The call itself is not logged.',
    logged: false,
    response: cleared,
    handle: ({ world, context }) => {
      context.requests.of(world).clear();
      return {};
    },
  }),
});

function detailOf(world: World, context: ControlContext, id: string): RequestDetail {
  return requestDetail.view(entryOf(world, context, id));
}

function entryOf(world: World, { requests }: ControlContext, id: string) {
  const log = requests.of(world);
  const entry = explainReservation(log.require(id), world, log);
  const { partnerId } = entry;
  return world.read((tx) => ({
    ...withSubjects(tx, entry),
    partner: partnerId === null ? null : withPartner(tx, { partnerId }).partner,
  }));
}

/** Control API calls are mostly those of tests and of the dashboard. */
const LISTED_BY_DEFAULT = [{ api: 'partner' }, { api: 'page' }] as const;

function filterOf({
  key_id: keyId,
  api,
  ...rest
}: Omit<RequestFilter, 'keyId' | 'api'> & {
  key_id?: string | undefined;
  api?: Api | 'all' | undefined;
}): RequestFilter {
  if (api === undefined) return { keyId, anyOf: LISTED_BY_DEFAULT, ...rest };
  return { keyId, api: api === 'all' ? undefined : api, ...rest };
}

import { requestEndpoints } from '../../control/requests.ts';
import { countOf } from '../../kernel/count.ts';
import { shortenMiddle } from '../../kernel/shorten.ts';
import { shortTarget } from '../../requests/describe-entry.ts';
import { type LoggedRequest, loggedRequest } from '../../requests/logged-request.ts';
import { Badge, escapeInvisibleInLine, Mono } from '../../ui/text.tsx';
import { ItemLink, OutcomeBadge } from '../components.tsx';
import { Link } from '../page.tsx';
import { type ResourceList, resourcePages } from '../resource-pages.tsx';
import { requestDetailPage } from './request.tsx';

/** In characters; the title of a row has the whole. */
const MAX_TARGET_LENGTH = 90;

/** The request log. Control API calls are in the list only if the filter `api` asks for them (`control/requests.ts`). */
export const REQUESTS: ResourceList<LoggedRequest> = {
  lead: 'Requests of your app and views of hosted pages, newest first.',
  endpoint: requestEndpoints.getRequests,
  resource: loggedRequest,
  firstCell: (request) => <RequestLink request={request} />,
  columns: [
    { heading: 'About', layout: 'clip', cell: (request) => <Subject request={request} /> },
    { heading: 'Response', layout: 'clip', cell: (request) => <ResponseCell request={request} /> },
    'duration_ms',
    'at',
  ],
  detail: requestDetailPage,
  listActions: ({ world: { name } }) => [
    {
      label: 'Clear log',
      call: 'DELETE /requests',
      confirm: `Clear the request log of world ${name}?`,
    },
  ],
  emptyHint:
    'Point your client at this sandbox with a key of this world, or send a signed request from a terminal.',
  emptyCommands: ['credentials create', "request GET '/api/partner/v1/domains/search?q=coffee'"],
};

export const requests = resourcePages(REQUESTS);

type RequestProps = { request: LoggedRequest };

export function RequestLink({ request }: RequestProps) {
  const { request_id, api, method, target } = request;
  return (
    <Link to={`/dashboard/requests/${request_id}`} title={target}>
      <span class="target">
        <b class="method">{escapeInvisibleInLine(method)}</b>{' '}
        <Mono>{shortenMiddle(shortTarget(request), MAX_TARGET_LENGTH)}</Mono>
      </span>
      {api === 'control' && <span class="id">control API</span>}
    </Link>
  );
}

/** Renders the domain and the order that a request is about. */
function Subject({ request: { domain, order } }: RequestProps) {
  return (
    <>
      {domain !== null && <Mono>{domain}</Mono>}
      {order !== null && (
        <span class="id">
          <ItemLink id={order} />
        </span>
      )}
    </>
  );
}

/** Renders the status and error code of the response, the number of warnings, and the fault that acted. */
function ResponseCell({ request }: RequestProps) {
  const { fault, warnings } = request;
  return (
    <>
      <OutcomeBadge request={request} />{' '}
      {warnings.length > 0 && (
        <span title={warnings.join('\n')}>
          <Badge tone="warning">{countOf(warnings.length, 'warning')}</Badge>
        </span>
      )}
      {fault !== null && (
        <Link class="id" to="/dashboard/faults" title={fault}>
          fault <Mono>{fault}</Mono>
        </Link>
      )}
    </>
  );
}

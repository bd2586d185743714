import { requestEndpoints } from '../../control/requests.ts';
import { countOf } from '../../kernel/count.ts';
import { shortenMiddle } from '../../kernel/shorten.ts';
import { isUnknownEndpoint, shortTarget } from '../../requests/describe.ts';
import { type LoggedRequest, loggedRequest } from '../../requests/logged-request.ts';
import { column } from '../../ui/table.tsx';
import { Badge, escapeInvisibleInLine, Mono } from '../../ui/text.tsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { ActionButton } from '../actions.tsx';
import { ItemLink, OutcomeBadge } from '../components.tsx';
import { listPage } from '../list-page.tsx';
import {
  EmptyState,
  Link,
  type MenuEntry,
  type Page,
  type PageContext,
  usePage,
} from '../page.tsx';
import { columnsFrom } from '../resource-columns.tsx';
import { requestPage } from './request.tsx';

/** In characters; the title of a row has the whole. */
const MAX_TARGET = 90;

export const requests: MenuEntry = {
  path: '/dashboard/requests',
  name: 'Requests',
  render: requestsPage,
  detail: requestPage,
};

function requestsPage(page: PageContext): Promise<Page> {
  return listPage<LoggedRequest>(page, {
    title: 'Requests',
    singular: 'request',
    lead: 'Requests of your app and views of hosted pages, newest first.',
    live: ['requests'],
    actions: (
      <ActionButton
        call="DELETE /requests"
        confirm={`Clear the request log of world ${page.world.name}?`}
      >
        Clear log
      </ActionButton>
    ),
    endpoint: requestEndpoints.getRequests,
    filters: ['where', 'text', 'api', 'from', 'to'],
    table: {
      caption: 'Requests, newest first',
      keyOf: ({ request_id }) => request_id,
      columns: [
        column('Request', 'main', (request) => <RequestLink request={request} />),
        column('About', 'clip', (request) => <RequestSubject request={request} />),
        column('Response', 'clip', (request) => <RequestOutcome request={request} />),
        ...columnsFrom(loggedRequest, 'duration_ms', 'at'),
      ],
    },
    empty: <NoRequests />,
  });
}

interface RequestProps {
  request: LoggedRequest;
}

export function RequestLink({ request }: RequestProps) {
  const { request_id, api, method, target } = request;
  return (
    <Link to={`/dashboard/requests/${request_id}`} title={target}>
      <span class="target">
        <b class="method">{escapeInvisibleInLine(method)}</b>{' '}
        <Mono>{shortenMiddle(shortTarget(request), MAX_TARGET)}</Mono>
      </span>
      {api === 'control' && <span class="id">control API</span>}
      {isUnknownEndpoint(request) && <span class="id">unknown endpoint</span>}
    </Link>
  );
}

/** Renders the domain and the order that a request is about. */
export function RequestSubject({ request: { domain, order } }: RequestProps) {
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
export function RequestOutcome({ request }: RequestProps) {
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

export function NoRequests() {
  if (usePage().world.name !== DEFAULT_WORLD) {
    return (
      <EmptyState title="No requests in this world yet." commands={['credentials create']}>
        A key belongs to the world in which it was created. Create one here, then send a request
        with it.
      </EmptyState>
    );
  }
  const search = "request GET '/api/partner/v1/domains/search?q=coffee'";
  return (
    <EmptyState title="No requests yet." commands={[search]}>
      Point your client at this sandbox, or send a signed request from a terminal.
    </EmptyState>
  );
}

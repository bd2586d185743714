import { requestEndpoints } from '../../control/requests.ts';
import { countOf } from '../../kernel/count.ts';
import { shortenMiddle } from '../../kernel/shorten.ts';
import { isUnknownEndpoint, shortTarget } from '../../requests/describe.ts';
import type { LoggedRequest } from '../../requests/logged-request.ts';
import { type Column, column } from '../../ui/table.tsx';
import { Badge, escapeInvisibleInLine, Mono, Timestamp } from '../../ui/text.tsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { ActionButton } from '../actions.tsx';
import { ItemLink, OutcomeBadge } from '../components.tsx';
import { listPage } from '../list-page.tsx';
import { EmptyState, Link, type Page, type PageContext, usePage } from '../page.tsx';

/** In characters; the title of a row has the whole. */
const MAX_TARGET = 90;

/** Parameters of the URL, and the equivalent filters. */
const FILTERS = {
  status: 'status',
  code: 'code',
  method: 'method',
  path: 'path',
  key_id: 'key',
};

/** Shows the parameters of a URL as filters, so that the box has all of them. */
function withFilters(page: PageContext): PageContext {
  const { where = '', ...query } = page.query;
  const words = Object.entries(FILTERS).flatMap(([parameter, filter]) => {
    const value = query[parameter]?.trim();
    delete query[parameter];
    return value ? `${filter}:${/\s/.test(value) ? `"${value}"` : value}` : [];
  });
  const all = [where.trim(), ...words].filter((word) => word !== '').join(' ');
  return { ...page, query: all === '' ? query : { ...query, where: all } };
}

export function requestsPage(page: PageContext): Promise<Page> {
  return listPage<LoggedRequest>(withFilters(page), {
    title: 'Requests',
    singular: 'request',
    lead: 'Requests of your app and views of hosted pages, newest first.',
    live: ['requests'],
    actions: (
      <ActionButton
        call="DELETE /requests"
        done="Request log cleared"
        confirm={`Clear the request log of world ${page.world.name}?`}
      >
        Clear log
      </ActionButton>
    ),
    above: <ApiSwitch />,
    endpoint: requestEndpoints.getRequests,
    filters: {
      where: {
        label: 'Filters',
        type: 'search',
        placeholder: 'status:4xx -code:conflict path:/orders since:10m',
      },
      text: { label: 'Text', type: 'search' },
    },
    ...tableOf(),
    empty: <NoRequests />,
  });
}

/** The choices of the API filter with their labels; the first is the default. */
const SHOWN = [
  ['', 'Your app'],
  ['control', 'Control API'],
  ['all', 'All'],
] as const;

function ApiSwitch() {
  const { path, query } = usePage();
  const { api: current = '', cursor, ...filters } = query;
  return (
    <nav class="switch" aria-label="Requests shown">
      {SHOWN.map(([api, label]) => (
        <Link
          to={path}
          query={api === '' ? filters : { ...filters, api }}
          aria-current={api === current ? 'true' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function tableOf() {
  const columns: Column<LoggedRequest>[] = [
    column('Request', 'main', (request) => <RequestLink request={request} />),
    column('About', 'clip', (request) => <RequestSubject request={request} />),
    column('Response', 'clip', (request) => <RequestOutcome request={request} />),
    { heading: 'ms', kind: 'number', cell: ({ duration_ms }) => duration_ms.toFixed(1) },
    { heading: 'Sandbox time', cell: ({ at }) => <Timestamp at={at} ms /> },
  ];
  const keyOf = ({ request_id }: LoggedRequest) => request_id;
  return { caption: 'Requests, newest first', columns, keyOf };
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

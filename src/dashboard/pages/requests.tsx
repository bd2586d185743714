import { requestEndpoints } from '../../control/requests.ts';
import { shortenMiddle } from '../../kernel/shorten.ts';
import { describeOutcome, shortTarget } from '../../requests/describe.ts';
import type { LoggedRequest } from '../../requests/logged-request.ts';
import { type Column, column, Table } from '../../ui/table.tsx';
import { escapeInvisibleInLine, Mono, Timestamp } from '../../ui/text.tsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { ActionButton } from '../actions.tsx';
import { ItemLink, StatusBadge } from '../components.tsx';
import { listPage } from '../list-page.tsx';
import { EmptyState, Link, type Page, type PageContext, usePage } from '../page.tsx';

/** In characters; the title of a row has the whole. */
const MAX_TARGET = 90;

export function requestsPage(page: PageContext): Promise<Page> {
  return listPage<LoggedRequest>(page, {
    title: 'Requests',
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
    property: 'requests',
    filters: {
      text: { label: 'Text', type: 'search', search: true },
      path: { label: 'Path', placeholder: '/orders*' },
      status: { label: 'Status', placeholder: '4xx' },
      code: { label: 'Code' },
      key_id: { label: 'Key ID' },
    },
    ...tableOf(),
    empty: <NoRequests />,
  });
}

/** Renders requests, or how to make the first one. */
export function RequestTable(props: { requests: readonly LoggedRequest[] }) {
  const { requests } = props;
  if (requests.length === 0) return <NoRequests />;
  return <Table {...tableOf()} rows={requests} />;
}

/** What the list has, by the value of its filter; the first is the default. */
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
    column('Request', 'main', (request) => (
      <Link to={`/dashboard/requests/${request.request_id}`} title={request.target} data-row>
        <span class="target">
          <b class="method">{escapeInvisibleInLine(request.method)}</b>{' '}
          <Mono>{shortenMiddle(shortTarget(request), MAX_TARGET)}</Mono>
        </span>
        {request.api === 'control' && <span class="id">control API</span>}
      </Link>
    )),
    column('About', 'clip', ({ domain, order }) => (
      <>
        {domain !== null && <Mono>{domain}</Mono>}
        {order !== null && (
          <span class="id">
            <ItemLink id={order} />
          </span>
        )}
      </>
    )),
    column('Response', 'clip', (request) => (
      <>
        <StatusBadge status={request.status}>{describeOutcome(request)}</StatusBadge>
        {request.fault !== null && (
          <Link class="id" to="/dashboard/faults" title={request.fault}>
            fault <Mono>{request.fault}</Mono>
          </Link>
        )}
      </>
    )),
    { heading: 'ms', kind: 'number', cell: ({ duration_ms }) => duration_ms.toFixed(1) },
    { heading: 'Received', cell: ({ received_at }) => <Timestamp at={received_at} ms /> },
  ];
  const keyOf = ({ request_id }: LoggedRequest) => request_id;
  return { caption: 'Requests, newest first', columns, keyOf };
}

function NoRequests() {
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

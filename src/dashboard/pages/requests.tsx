import { requestEndpoints } from '../../control/requests.ts';
import { describeOutcome } from '../../requests/describe.ts';
import type { LoggedRequest } from '../../requests/logged-request.ts';
import { type Column, column, Table } from '../../ui/table.tsx';
import { escapeInvisibleInLine, Mono, Timestamp } from '../../ui/text.tsx';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { ActionButton } from '../actions.tsx';
import { StatusBadge } from '../components.tsx';
import { listPage } from '../list-page.tsx';
import { EmptyState, Link, type Page, type PageContext, usePage } from '../page.tsx';

export function requestsPage(page: PageContext): Promise<Page> {
  return listPage<LoggedRequest>(page, {
    title: 'Requests',
    lead: 'Partner API requests, hosted page views, and control API calls that change something, newest first.',
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
    endpoint: requestEndpoints.getRequests,
    property: 'requests',
    filters: {
      text: { label: 'Text', type: 'search', search: true },
      path: { label: 'Path', placeholder: '/orders*' },
      status: { label: 'Status', placeholder: '4xx' },
      code: { label: 'Code' },
      api: { label: 'API' },
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

function tableOf() {
  const columns: Column<LoggedRequest>[] = [
    column('Request', 'main', ({ request_id, method, target }) => (
      <Link to={`/dashboard/requests/${request_id}`} data-row>
        <span class="target">
          <b class="method">{escapeInvisibleInLine(method)}</b> <Mono>{target}</Mono>
        </span>
      </Link>
    )),
    {
      heading: 'Response',
      cell: (request) => (
        <StatusBadge status={request.status}>{describeOutcome(request)}</StatusBadge>
      ),
    },
    { heading: 'Key', kind: 'clip', cell: ({ key_id }) => key_id && <Mono>{key_id}</Mono> },
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

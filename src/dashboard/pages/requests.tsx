import { requestEndpoints } from '../../control/requests.ts';
import { describeOutcome } from '../../requests/describe.ts';
import type { LoggedRequest } from '../../requests/logged-request.ts';
import { ActionButton } from '../../ui/form.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { escapeInvisibleInLine, Mono, Timestamp } from '../../ui/text.tsx';
import { urlFor } from '../../ui/urls.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { StatusBadge } from '../components.tsx';
import { listPage } from '../list-page.tsx';
import { commandFor, type Page, type PageContext } from '../page.ts';

/** The request log. */
export function requestsPage(page: PageContext): Promise<Page> {
  return listPage<LoggedRequest>(page, {
    title: 'Requests',
    lead: 'Partner API requests, hosted page views, and control API calls that change something, newest first.',
    live: ['requests'],
    actions: (
      <ActionButton
        page={page}
        call="DELETE /requests"
        done="Request log cleared"
        confirm={`Clear the request log of world ${page.world.name}?`}
      >
        Clear
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
    ...tableOf(page),
    empty: <NoRequests page={page} />,
  });
}

/** Renders requests, or how to make the first one. */
export function RequestTable(props: { page: PageContext; requests: readonly LoggedRequest[] }) {
  const { page, requests } = props;
  if (requests.length === 0) return <NoRequests page={page} />;
  return <Table {...tableOf(page)} rows={requests} />;
}

function tableOf(page: PageContext) {
  const columns: Column<LoggedRequest>[] = [
    {
      heading: 'Request',
      kind: 'main',
      cell: ({ request_id, method, target }) => (
        <a href={urlFor(page, `/dashboard/requests/${request_id}`)} data-row>
          <span class="target">
            <b class="method">{escapeInvisibleInLine(method)}</b> <Mono>{target}</Mono>
          </span>
        </a>
      ),
    },
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

function NoRequests({ page }: { page: PageContext }) {
  if (page.world.name !== DEFAULT_WORLD) {
    return (
      <EmptyState
        title="No requests in this world yet."
        commands={[commandFor(page, 'credentials create')]}
      >
        A key enters the world it was minted in. Mint one here, then send a request with it.
      </EmptyState>
    );
  }
  const search = "request GET '/api/partner/v1/domains/search?q=coffee'";
  return (
    <EmptyState title="No requests yet." commands={[commandFor(page, search)]}>
      Point your client at this sandbox, or send a signed request from a terminal.
    </EmptyState>
  );
}

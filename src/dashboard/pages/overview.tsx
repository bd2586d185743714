import { callControl } from '../../control/call-control.ts';
import { requestEndpoints } from '../../control/requests.ts';
import { type Status, statusEndpoints } from '../../control/status.ts';
import { formatCount } from '../../kernel/count.ts';
import { DescriptionList, PageHeader, Section } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { CliCommand, EmptyState, Link, type PageContext, type RenderedPage } from '../page.tsx';
import { tableOf } from '../resource-pages.tsx';
import { REQUESTS, RequestLink } from './requests.tsx';

const MAX_REJECTIONS = 5;
const REJECTED_QUERY = { where: 'status:error' };

export async function overviewPage(page: PageContext): Promise<RenderedPage> {
  const status = await callControl(statusEndpoints.getStatus, page);
  const { requests: rejected } = await callControl(requestEndpoints.getRequests, page, {
    query: { ...REJECTED_QUERY, limit: String(MAX_REJECTIONS) },
  });
  return {
    title: 'Overview',
    content: (
      <>
        <PageHeader title="Overview" actions={await page.toolParts('actions')} />
        <Section
          title="Last rejections"
          id="rejections"
          actions={
            <>
              <Link to="/dashboard/requests" query={REJECTED_QUERY}>
                All rejections
              </Link>
              <Link to="/dashboard/requests">All requests</Link>
            </>
          }
        >
          {rejected.length > 0 ? (
            <Table {...tableOf(REJECTED_REQUESTS, page)} rows={rejected} />
          ) : (
            <EmptyState title="No rejections." commands={REQUESTS.emptyCommands}>
              {REQUESTS.emptyHint}
            </EmptyState>
          )}
        </Section>
        <div class="cards">
          <Counts list="orders" byStatus={status.orders} />
          <Counts list="deliveries" byStatus={status.deliveries} />
          {await page.toolParts('sections')}
          <Connection status={status} />
        </div>
        <p class="quiet small">
          sandlot {status.version}, seed <Text>{status.seed}</Text>, state{' '}
          <Text>{status.data_dir ?? 'in memory'}</Text> · <Link to="/reference">API reference</Link>{' '}
          · <Link to="/openapi.json">OpenAPI document</Link>
        </p>
      </>
    ),
  };
}

/** The list of requests, with the reason of the rejection below each. */
const REJECTED_REQUESTS: typeof REQUESTS = {
  ...REQUESTS,
  firstCell: (request) => (
    <>
      <RequestLink request={request} />
      <span class="sub">
        <Text>{request.message ?? ''}</Text>
      </span>
    </>
  ),
};

/** Renders the number of items of a list in each status, with a link to them. */
function Counts({ list, byStatus }: { list: string; byStatus: Record<string, number> }) {
  const path = `/dashboard/${list}`;
  const title = list.charAt(0).toUpperCase() + list.slice(1);
  const counts = Object.entries(byStatus).filter(([, n]) => n > 0);
  return (
    <Section title={title} id={list} actions={<Link to={path}>All {list}</Link>}>
      {counts.length === 0 && <p class="quiet">No {list} yet.</p>}
      <ul class="counts">
        {counts.map(([status, n]) => (
          <li>
            <b>{formatCount(n)}</b>{' '}
            <Link to={path} query={{ status }}>
              {status}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Connection({ status: { url, credential } }: { status: Status }) {
  return (
    <Section title="Connect your client" id="connection">
      <DescriptionList
        items={[
          ['SANDLOT_URL', <Mono>{url}</Mono>],
          ['SANDLOT_KEY_ID', credential && <Mono>{credential.key_id}</Mono>],
        ]}
      />
      <p class="quiet">
        {credential
          ? 'Print these variables and SANDLOT_SECRET, ready to paste:'
          : 'The default credential does not belong to this world. Create a key for it:'}
      </p>
      <CliCommand text={credential ? 'status' : 'credentials create --format env'} />
    </Section>
  );
}

import { callControl } from '../../control/call-control.ts';
import { requestEndpoints } from '../../control/requests.ts';
import { type Status, statusEndpoints } from '../../control/status.ts';
import { formatCount } from '../../kernel/count.ts';
import { DescriptionList, PageHeader, Section } from '../../ui/layout.tsx';
import { Mono, Text, Timestamp } from '../../ui/text.tsx';
import { Clock, CopyResponse, Secret } from '../components.tsx';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';
import { RequestTable } from './requests.tsx';

export async function overviewPage(page: PageContext): Promise<Page> {
  const status = await callControl(statusEndpoints.getStatus, page);
  const query = { limit: '8' };
  const { requests } = await callControl(requestEndpoints.getRequests, page, { query });
  return {
    title: 'Overview',
    live: ['requests', 'orders', 'inventory', 'credentials'],
    content: (
      <>
        <PageHeader title="Overview" actions={await page.actions()} />
        <div class="cards">
          <Server status={status} />
          <Connection status={status} />
        </div>
        <Section
          title="Latest requests"
          id="latest"
          actions={<Link to="/dashboard/requests">All requests</Link>}
        >
          <RequestTable requests={requests} />
        </Section>
        <p class="quiet small">
          <Link to="/reference">API reference</Link> ·{' '}
          <Link to="/openapi.json">OpenAPI document</Link>
        </p>
      </>
    ),
  };
}

function Server({ status }: { status: Status }) {
  return (
    <Section title="Server" id="server">
      <DescriptionList
        items={[
          ['Base URL', <Mono>{status.url}</Mono>],
          ['Version', `sandlot ${status.version}`],
          ['Clock', <Clock clock={status.clock} />],
          ['World', <Mono>{status.world}</Mono>],
          ['Seed', <Text>{status.seed}</Text>],
          ...Object.entries(status.inventory).map(
            ([environment, { listed, sold }]) =>
              [
                `${environment} inventory`,
                `${formatCount(listed)} listed, ${formatCount(sold)} sold`,
              ] as const,
          ),
          ['State', status.data_dir === null ? 'in memory' : <Mono>{status.data_dir}</Mono>],
          ['Started', <Timestamp at={status.started_at} />],
        ]}
      />
    </Section>
  );
}

function Connection({ status }: { status: Status }) {
  const { url, credential } = status;
  if (credential === null) {
    return (
      <Section title="Connect your client" id="connection">
        <EmptyState
          title="The default credential does not belong to this world."
          commands={['credentials create --format env']}
        >
          Create a key for this world, here or under{' '}
          <Link to="/dashboard/credentials">Credentials</Link>.
        </EmptyState>
      </Section>
    );
  }
  return (
    <Section
      title="Connect your client"
      id="connection"
      actions={<CopyResponse path="/status" property="env" label="Copy as environment" />}
    >
      <DescriptionList
        class="stacked"
        items={[
          ['SANDLOT_URL', <Mono>{url}</Mono>],
          ['SANDLOT_KEY_ID', <Mono>{credential.key_id}</Mono>],
          ['SANDLOT_SECRET', <Secret keyId={credential.key_id} />],
        ]}
      />
      <p class="quiet small">
        This credential has every scope. Commands that run in the folder of the sandbox find it by
        themselves.
      </p>
    </Section>
  );
}

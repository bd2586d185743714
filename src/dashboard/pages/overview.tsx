import { callControl } from '../../control/call-control.ts';
import { requestEndpoints } from '../../control/requests.ts';
import { type Status, statusEndpoints } from '../../control/status.ts';
import { formatCount } from '../../kernel/count.ts';
import { DescriptionList, EmptyState, PageHeader, Section } from '../../ui/layout.tsx';
import { Mono, Text, Timestamp } from '../../ui/text.tsx';
import { urlFor } from '../../ui/urls.ts';
import { Clock, CopyResponse, DownloadRepro, Secret } from '../components.tsx';
import { commandFor, type Page, type PageContext } from '../page.ts';
import { RequestTable } from './requests.tsx';

/** The server, how to connect a client, and the latest requests. */
export async function overviewPage(page: PageContext): Promise<Page> {
  const status = await callControl(statusEndpoints.getStatus, page);
  const query = { limit: '8' };
  const { requests } = await callControl(requestEndpoints.getRequests, page, { query });
  return {
    title: 'Overview',
    live: ['requests', 'orders', 'inventory', 'credentials'],
    content: (
      <>
        <PageHeader title="Overview" actions={<DownloadRepro page={page} />} />
        <div class="cards">
          <Server status={status} />
          <Connection page={page} status={status} />
        </div>
        <Section
          title="Latest requests"
          id="latest"
          actions={<a href={urlFor(page, '/dashboard/requests')}>All requests</a>}
        >
          <RequestTable page={page} requests={requests} />
        </Section>
        <p class="quiet small">
          <a href={urlFor(page, '/reference')}>API reference</a> ·{' '}
          <a href={urlFor(page, '/openapi.json')}>OpenAPI document</a>
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

function Connection({ page, status }: { page: PageContext; status: Status }) {
  const { url, credential } = status;
  if (credential === null) {
    return (
      <Section title="Connect your client" id="connection">
        <EmptyState
          title="The default credential does not enter this world."
          commands={[commandFor(page, 'credentials create --format env')]}
        >
          Mint a key for this world, here or under{' '}
          <a href={urlFor(page, '/dashboard/credentials')}>Credentials</a>.
        </EmptyState>
      </Section>
    );
  }
  return (
    <Section
      title="Connect your client"
      id="connection"
      actions={
        <CopyResponse page={page} path="/status" property="env" label="Copy as environment" />
      }
    >
      <DescriptionList
        class="stacked"
        items={[
          ['SANDLOT_URL', <Mono>{url}</Mono>],
          ['SANDLOT_KEY_ID', <Mono>{credential.key_id}</Mono>],
          ['SANDLOT_SECRET', <Secret page={page} keyId={credential.key_id} />],
        ]}
      />
      <p class="quiet small">
        This credential has every scope. Commands that run in the folder of the sandbox find it by
        themselves.
      </p>
    </Section>
  );
}

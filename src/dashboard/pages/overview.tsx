import type { Child } from 'hono/jsx';
import { callControl } from '../../control/call-control.ts';
import { clockEndpoints, type UpcomingItem } from '../../control/clock.ts';
import { eventEndpoints } from '../../control/events.ts';
import { requestEndpoints } from '../../control/requests.ts';
import { type Status, statusEndpoints } from '../../control/status.ts';
import { countOf, formatCount } from '../../kernel/count.ts';
import type { LoggedRequest } from '../../requests/logged-request.ts';
import { DescriptionList, PageHeader, Section } from '../../ui/layout.tsx';
import { type Column, column, Table } from '../../ui/table.tsx';
import { Mono, Text, Timestamp } from '../../ui/text.tsx';
import type { Delivery } from '../../webhooks/delivery.ts';
import { CopyResponse, Secret } from '../components.tsx';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';
import { UpcomingLink } from './clock.tsx';
import { DeliveryStatus } from './deliveries.tsx';
import { NoRequests, RequestLink, RequestOutcome, RequestSubject } from './requests.tsx';

const ROWS = 5;

export async function overviewPage(page: PageContext): Promise<Page> {
  const status = await callControl(statusEndpoints.getStatus, page);
  const query = { limit: String(ROWS) };
  const rejected = { ...query, status: 'error' };
  const [latest, rejections, upcoming, retrying, failed, sections] = await Promise.all([
    callControl(requestEndpoints.getRequests, page, { query: { limit: '1' } }),
    callControl(requestEndpoints.getRequests, page, { query: rejected }),
    callControl(clockEndpoints.getClockUpcoming, page, { query }),
    deliveriesOf(page, 'pending'),
    deliveriesOf(page, 'failed'),
    page.sections(''),
  ]);
  const failing = [...failed, ...retrying.filter(({ attempts }) => attempts.length > 0)];
  const isUnused = latest.requests.length === 0;
  const connection = <Connection status={status} />;
  return {
    title: 'Overview',
    live: ['requests', 'orders', 'deliveries', 'upcoming', 'faults', 'inventory', 'credentials'],
    content: (
      <>
        <PageHeader title="Overview" actions={await page.actions()} />
        {isUnused && (
          <>
            {connection}
            <NoRequests />
          </>
        )}
        {!isUnused && (
          <Section
            title="Last rejections"
            id="rejections"
            actions={
              <>
                <Link to="/dashboard/requests" query={{ status: 'error' }}>
                  All rejections
                </Link>
                <Link to="/dashboard/requests">All requests</Link>
              </>
            }
          >
            {rejections.requests.length > 0 ? (
              <RejectionTable requests={rejections.requests} />
            ) : (
              <p class="quiet">Every request in the log has succeeded.</p>
            )}
          </Section>
        )}
        <div class="cards">
          <Orders counts={status.orders} />
          <Deliveries counts={status.deliveries} failing={failing.slice(0, ROWS)} />
          <Upcoming items={upcoming.upcoming} />
          {sections}
        </div>
        <div class="cards">
          {!isUnused && connection}
          <Server status={status} />
        </div>
        <p class="quiet small">
          <Link to="/reference">API reference</Link> ·{' '}
          <Link to="/openapi.json">OpenAPI document</Link>
        </p>
      </>
    ),
  };
}

async function deliveriesOf(page: PageContext, status: string): Promise<Delivery[]> {
  const query = { status, limit: String(ROWS) };
  return (await callControl(eventEndpoints.getDeliveries, page, { query })).deliveries;
}

/** Renders rejected requests with the reason of each. */
function RejectionTable({ requests }: { requests: readonly LoggedRequest[] }) {
  const columns: Column<LoggedRequest>[] = [
    column('Request', 'main', (request) => (
      <>
        <RequestLink request={request} />
        {request.message !== null && (
          <span class="sub">
            <Text>{request.message}</Text>
          </span>
        )}
      </>
    )),
    column('Response', 'clip', (request) => <RequestOutcome request={request} />),
    column('About', 'clip', (request) => <RequestSubject request={request} />),
    column('Received', undefined, ({ received_at }) => <Timestamp at={received_at} />),
  ];
  return (
    <Table
      caption="Rejected requests, newest first"
      columns={columns}
      rows={requests}
      keyOf={({ request_id }) => request_id}
    />
  );
}

function Orders({ counts }: { counts: Status['orders'] }) {
  const recorded = Object.entries(counts).filter(([, n]) => n > 0);
  return (
    <Section title="Orders" id="orders" actions={<Link to="/dashboard/orders">All orders</Link>}>
      {recorded.length === 0 ? (
        <p class="quiet">No orders yet.</p>
      ) : (
        <Counts
          counts={recorded.map(([status, n]) => [
            <Link to="/dashboard/orders" query={{ status }}>
              {status}
            </Link>,
            n,
          ])}
        />
      )}
    </Section>
  );
}

function Deliveries(props: { counts: Status['deliveries']; failing: readonly Delivery[] }) {
  const { counts, failing } = props;
  const sent = Object.entries(counts).filter(([, n]) => n > 0);
  return (
    <Section
      title="Deliveries"
      id="deliveries"
      actions={<Link to="/dashboard/deliveries">All deliveries</Link>}
    >
      {sent.length === 0 ? (
        <p class="quiet">No webhooks were sent yet.</p>
      ) : (
        <Counts
          counts={sent.map(([status, n]) => [
            <Link to="/dashboard/deliveries" query={{ status }}>
              {status}
            </Link>,
            n,
          ])}
        />
      )}
      {failing.length > 0 && (
        <ul class="brief" aria-label="Deliveries that fail">
          {failing.map((delivery) => (
            <li>
              <DeliveryStatus status={delivery.status} />{' '}
              <Link to={`/dashboard/deliveries/${delivery.delivery_id}`}>
                {delivery.event_type}
              </Link>{' '}
              {delivery.domain !== null && <Mono>{delivery.domain}</Mono>}{' '}
              <span class="quiet">
                {delivery.last_response?.replaceAll('_', ' ') ?? 'not sent'} after{' '}
                {countOf(delivery.attempts.length, 'attempt')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Upcoming({ items }: { items: readonly UpcomingItem[] }) {
  return (
    <Section title="Due next" id="upcoming" actions={<Link to="/dashboard/clock">Clock</Link>}>
      {items.length === 0 ? (
        <p class="quiet">Nothing is scheduled.</p>
      ) : (
        <ul class="brief">
          {items.map((item) => (
            <li>
              <UpcomingLink item={item} />{' '}
              <span class="quiet">
                <Timestamp at={item.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Renders how many there are in each state. */
function Counts({ counts }: { counts: readonly (readonly [state: Child, n: number])[] }) {
  return (
    <ul class="counts">
      {counts.map(([state, n]) => (
        <li>
          <b>{formatCount(n)}</b> {state}
        </li>
      ))}
    </ul>
  );
}

function Server({ status }: { status: Status }) {
  return (
    <Section title="Server" id="server">
      <DescriptionList
        items={[
          ['Base URL', <Mono>{status.url}</Mono>],
          ['Version', `sandlot ${status.version}`],
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

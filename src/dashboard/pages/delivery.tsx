import { callControl } from '../../control/call-control.ts';
import { eventEndpoints } from '../../control/events.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { DescriptionList, PageHeader, Section } from '../../ui/layout.tsx';
import { type Column, column, Table } from '../../ui/table.tsx';
import { Badge, Mono, Text, Timestamp } from '../../ui/text.tsx';
import type { Delivery } from '../../webhooks/delivery.ts';
import { rejectionHint } from '../../webhooks/rejection-hint.ts';
import { ItemLink } from '../components.tsx';
import { Link, type Page, type PageContext } from '../page.tsx';
import { DeliveryAction, DeliveryStatus, formatAttempt } from './deliveries.tsx';

export async function deliveryPage(page: PageContext, id: string): Promise<Page> {
  const delivery = await callControl(eventEndpoints.getDelivery, page, { params: { id } });
  const { event, attempts, next_attempt_at: next } = delivery;
  const hint = rejectionHint(attempts.at(-1)?.http_status);
  return {
    title: delivery.delivery_id,
    live: ['deliveries'],
    content: (
      <>
        <p class="crumbs">
          <Link to="/dashboard/deliveries">Deliveries</Link>
        </p>
        <PageHeader
          title={<Mono>{delivery.delivery_id}</Mono>}
          actions={<DeliveryAction delivery={delivery} />}
        />
        <section class="card" aria-label="Delivery">
          <p class="outcome">
            <DeliveryStatus status={delivery.status} />
          </p>
          <DescriptionList
            items={[
              ['URL', <Mono>{delivery.url}</Mono>],
              ['Event', <Mono>{event.type}</Mono>],
              ['Event ID', <Mono>{event.id}</Mono>],
              ['Subject', <ItemLink id={event.subject_id} />],
              ['Partner', <Text>{`${event.partner}, ${event.environment}`}</Text>],
              ['Next attempt', next && <Timestamp at={next} />],
            ]}
          />
        </section>
        <Section title="Attempts" id="attempts">
          {delivery.status !== 'delivered' && (
            <p class="quiet">Only a response with 200 within 5 seconds counts as delivered.</p>
          )}
          {hint !== undefined && <p class="quiet">{hint}</p>}
          {attempts.length === 0 ? (
            <p class="quiet">No attempts yet.</p>
          ) : (
            <Table
              caption="Attempts, oldest first"
              columns={COLUMNS}
              rows={attempts.map((attempt, n) => ({ ...attempt, n: n + 1 }))}
              keyOf={({ n }) => `attempt-${n}`}
            />
          )}
        </Section>
        {await page.sections(id)}
        <Section title="Request" id="request">
          <DescriptionList
            class="headers"
            items={Object.entries(delivery.request.headers).map(([name, value]) => [
              <Mono>{name}</Mono>,
              <Mono>{value}</Mono>,
            ])}
          />
          <p class="quiet small">
            The signature is the HMAC-SHA256 of exactly these bytes, with the secret of the
            registration, in hex.
          </p>
          <CodeBlock text={delivery.request.body} label="Body of the request" />
        </Section>
      </>
    ),
  };
}

type Attempt = Delivery['attempts'][number] & { response: string | null; n: number };

const COLUMNS: Column<Attempt>[] = [
  { heading: 'Attempt', kind: 'main', cell: ({ n }) => `Attempt ${n}` },
  { heading: 'At', cell: ({ at }) => <Timestamp at={at} ms /> },
  {
    heading: 'Outcome',
    cell: ({ outcome }) => (
      <Badge tone={outcome === 'ok' ? 'success' : 'error'}>{outcome.replaceAll('_', ' ')}</Badge>
    ),
  },
  column('Response', 'wide', (attempt) => (
    <>
      {formatAttempt(attempt)}
      {attempt.response && (
        <details class="raw">
          <summary>Body</summary>
          <CodeBlock text={attempt.response} label={`Response to attempt ${attempt.n}`} />
        </details>
      )}
    </>
  )),
];

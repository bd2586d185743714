import { callControl } from '../../control/call-control.ts';
import { eventEndpoints } from '../../control/events.ts';
import { shortenMiddle } from '../../kernel/shorten.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { DescriptionList, PageHeader, Section } from '../../ui/layout.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import {
  type Delivery,
  type DeliveryAttempt,
  delivery,
  deliveryAttempt,
} from '../../webhooks/delivery.ts';
import { failureHint } from '../../webhooks/failure-hint.ts';
import { type Action, Actions } from '../actions.tsx';
import { Crumbs, Link, type PageContext, type RenderedPage } from '../page.tsx';
import { columnsFrom, itemsFrom } from '../resource-columns.tsx';
import { Identity, type ResourceList, resourcePages } from '../resource-pages.tsx';

export const DELIVERIES: ResourceList<Delivery> = {
  singular: 'delivery',
  lead: 'Webhooks sent to registered URLs, with every attempt, newest first.',
  endpoint: eventEndpoints.getDeliveries,
  resource: delivery,
  firstCell: ({ delivery_id: id, event_type, url }) => (
    <>
      <Link to={`/dashboard/deliveries/${id}`}>
        <Identity label={event_type} id={id} />
      </Link>
      <span class="sub">
        <Text>{shortenMiddle(url, 60)}</Text>
      </span>
    </>
  ),
  columns: ['status', 'last_response', 'tries', 'domain', 'next_attempt_at', 'created_at'],
  detail: deliveryDetailPage,
  itemActions: (row) => [resendOrRetry(row)],
  emptyHint:
    'Register a webhook with PUT /api/partner/webhooks, or start a receiver that registers itself.',
  emptyCommands: ['webhooks listen --register'],
};

export const deliveries = resourcePages(DELIVERIES);

function resendOrRetry(row: Pick<Delivery, 'delivery_id' | 'event_id' | 'status'>): Action {
  return row.status === 'delivered'
    ? { label: 'Resend', call: `POST /events/${row.event_id}/resend` }
    : { label: 'Retry now', call: `POST /deliveries/${row.delivery_id}/retry` };
}

async function deliveryDetailPage(page: PageContext, id: string): Promise<RenderedPage> {
  const row = await callControl(eventEndpoints.getDelivery, page, { params: { id } });
  const { event, attempts, request } = row;
  const hint = failureHint(attempts.at(-1)?.outcome);
  return {
    title: row.delivery_id,
    content: (
      <>
        <Crumbs to="/dashboard/deliveries">Deliveries</Crumbs>
        <PageHeader
          title={<Mono>{row.delivery_id}</Mono>}
          actions={<Actions actions={[resendOrRetry(row)]} />}
        />
        <section class="card" aria-label="Delivery">
          <DescriptionList
            items={[
              ...itemsFrom<Delivery>(
                delivery,
                row,
                'status',
                'url',
                'event_type',
                'event_id',
                'subject_id',
                'domain',
              ),
              ['Partner', <Text>{`${event.partner}, ${event.environment}`}</Text>],
              ...itemsFrom<Delivery>(delivery, row, 'next_attempt_at'),
            ]}
          />
        </section>
        <Section title="Attempts" id="attempts">
          {row.status !== 'delivered' && (
            <p class="quiet">Only a response with 200 within 5 seconds counts as delivered.</p>
          )}
          {hint !== undefined && <p class="quiet">{hint}</p>}
          {attempts.length === 0 ? (
            <p class="quiet">No attempts yet.</p>
          ) : (
            <Table
              caption="Attempts, oldest first"
              columns={ATTEMPT_COLUMNS}
              rows={attempts}
              keyOf={(attempt) => `attempt-${attempts.indexOf(attempt) + 1}`}
            />
          )}
        </Section>
        <Section title="Request" id="request">
          <DescriptionList
            class="headers"
            items={Object.entries(request.headers).map(([name, value]) => [
              <Mono>{name}</Mono>,
              <Mono>{value}</Mono>,
            ])}
          />
          <p class="quiet small">
            The signature is the HMAC-SHA256 of exactly these bytes, with the secret of the
            registration, in hex.
          </p>
          <CodeBlock text={request.body} label="Body of the request" />
        </Section>
      </>
    ),
  };
}

const ATTEMPT_COLUMNS: Column<DeliveryAttempt & { response: string | null }>[] = [
  ...columnsFrom<DeliveryAttempt>(deliveryAttempt, 'at', 'outcome', 'http_status', 'duration_ms'),
  {
    heading: 'Response',
    layout: 'wide',
    cell: ({ response }) =>
      response ? <CodeBlock text={response} label="Response" /> : <i class="quiet">empty</i>,
  },
];

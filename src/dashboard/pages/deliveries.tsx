import { callControl } from '../../control/call-control.ts';
import { eventEndpoints } from '../../control/events.ts';
import { fireEndpoints } from '../../control/fire.ts';
import { webhookEndpoints } from '../../control/webhooks.ts';
import { EVENT_TYPES, EVENTS } from '../../events/event-types.ts';
import { countOf } from '../../kernel/count.ts';
import type { PageOf } from '../../kernel/resource.ts';
import { shortenMiddle } from '../../kernel/shorten.ts';
import { Details } from '../../ui/layout.tsx';
import { type Column, column, Table } from '../../ui/table.tsx';
import { Badge, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { DELIVERY_TONES, type Delivery } from '../../webhooks/delivery.ts';
import type { ControlRegistration } from '../../webhooks/registration.ts';
import { ActionButton } from '../actions.tsx';
import { FormResponse, ItemLink } from '../components.tsx';
import { listPage, MoreRows } from '../list-page.tsx';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';
import { EndpointForm } from '../schema-fields.tsx';
import { ResendButton } from './events.tsx';

export async function deliveriesPage(page: PageContext): Promise<Page> {
  const query = { limit: '100' };
  const registered = await callControl(webhookEndpoints.getWebhooks, page, { query });
  return listPage<Delivery>(page, {
    title: 'Deliveries',
    singular: 'delivery',
    lead: 'Webhooks sent to registered URLs, with every attempt, newest first.',
    live: ['deliveries'],
    above: (
      <>
        <Registrations {...registered} />
        <FireForm />
      </>
    ),
    endpoint: eventEndpoints.getDeliveries,
    filters: {
      where: {
        label: 'Filters',
        type: 'search',
        placeholder: 'status:failed event:order.settled took:>1s',
      },
    },
    ...tableOf(),
    empty: (
      <EmptyState title="No deliveries yet." commands={['webhooks listen --register']}>
        Register a webhook with <code>PUT /api/partner/webhooks</code>, or start a receiver that
        registers itself.
      </EmptyState>
    ),
  });
}

export function DeliveryTable(props: { deliveries: readonly Delivery[] }) {
  return <Table {...tableOf()} rows={props.deliveries} />;
}

/** In characters; the title has the whole. */
const MAX_URL = 40;

function tableOf() {
  const columns: Column<Delivery>[] = [
    column('Delivery', 'main', ({ delivery_id, event_type }) => (
      <Link to={`/dashboard/deliveries/${delivery_id}`}>
        <Mono>{event_type}</Mono>
        <span class="id">{delivery_id}</span>
      </Link>
    )),
    column('About', 'clip', ({ domain, subject_id }) => (
      <>
        {domain !== null && <Mono>{domain}</Mono>}
        <span class="id">
          <ItemLink id={subject_id} />
        </span>
      </>
    )),
    { heading: 'Status', cell: ({ status }) => <DeliveryStatus status={status} /> },
    column('Last response', 'line', ({ attempts, next_attempt_at: next }) => {
      const last = attempts.at(-1);
      return (
        <>
          {last && formatAttempt(last)}
          <span class="sub">{countOf(attempts.length, 'attempt')}</span>
          {next && (
            <span class="sub">
              next <Timestamp at={next} />
            </span>
          )}
        </>
      );
    }),
    {
      heading: 'URL',
      kind: 'wide',
      cell: ({ url }) => (
        <span title={url}>
          <Mono>{shortenMiddle(url, MAX_URL)}</Mono>
        </span>
      ),
      varies: ({ url }) => url,
    },
    { heading: 'Created', cell: ({ created_at }) => <Timestamp at={created_at} /> },
    column('Action', 'actions', (delivery) => <DeliveryAction delivery={delivery} />),
  ];
  const keyOf = ({ delivery_id }: Delivery) => delivery_id;
  return { caption: 'Deliveries, newest first', columns, keyOf };
}

export function DeliveryStatus({ status }: Pick<Delivery, 'status'>) {
  return <Badge tone={DELIVERY_TONES[status]}>{status}</Badge>;
}

/** Formats an attempt: `503 in 12 ms`, `timeout in 5000 ms`. */
export function formatAttempt(attempt: Delivery['attempts'][number]): string {
  const { outcome, http_status, duration_ms } = attempt;
  return `${http_status ?? outcome.replaceAll('_', ' ')} in ${duration_ms} ms`;
}

export function DeliveryAction(props: { delivery: Delivery }) {
  const { delivery } = props;
  const { delivery_id, event_id, status } = delivery;
  if (status === 'delivered') return <ResendButton eventId={event_id} />;
  return (
    <ActionButton
      call={`POST /deliveries/${delivery_id}/retry`}
      done={`Retrying ${delivery_id}`}
      about={delivery_id}
    >
      Retry now
    </ActionButton>
  );
}

/** Renders the first hundred registered URLs. */
function Registrations({ webhooks, next_cursor: next }: PageOf<'webhooks', ControlRegistration>) {
  if (webhooks.length === 0) return null;
  const columns: Column<ControlRegistration>[] = [
    { heading: 'URL', kind: 'main', cell: ({ url }) => <Mono>{url}</Mono> },
    { heading: 'Partner', cell: ({ partner }) => <Text>{partner}</Text> },
    { heading: 'Environment', cell: ({ environment }) => environment },
    { heading: 'Registered', cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
    { heading: 'Pending', kind: 'number', cell: (webhook) => webhook.pending_deliveries },
    column('Action', 'actions', (webhook) => <RemoveButton webhook={webhook} />),
  ];
  return (
    <Details
      title={`Registered URLs: ${webhooks.length}${next === null ? '' : '+'}`}
      id="registrations"
    >
      <Table
        caption="Registered webhook URLs, by partner"
        columns={columns}
        rows={webhooks}
        keyOf={({ partner_id, environment }) => `${partner_id} ${environment}`}
      />
      <MoreRows next={next} count={webhooks.length} command="webhooks registrations" />
    </Details>
  );
}

function RemoveButton({ webhook }: { webhook: ControlRegistration }) {
  const { partner_id, environment, url, pending_deliveries: pending } = webhook;
  return (
    <ActionButton
      call="DELETE /webhooks"
      query={{ partner_id, environment }}
      confirm={`Remove ${url}? ${pending === 0 ? 'It has no pending deliveries.' : `Its pending deliveries fail: ${pending}.`}`}
      done={`Removed ${url}`}
      about={url}
    >
      Remove
    </ActionButton>
  );
}

const LABELS = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, `${type}: ${EVENTS[type].meaning}`]),
);

function FireForm() {
  return (
    <EndpointForm
      endpoint={fireEndpoints.postWebhooksFire}
      title="Fire a webhook"
      id="fire"
      button="Fire"
      done="Webhook sent"
      fields={{
        type: { label: 'Event', labels: LABELS },
        order: { label: 'Order', placeholder: 'ord_…', hint: 'Leave empty to send sample data.' },
        url: {
          label: 'URL',
          placeholder: 'http://127.0.0.1:4020/',
          hint: 'Leave empty to use the registered URL.',
        },
        secret: {
          label: 'Secret',
          type: 'password',
          hint: 'Leave empty to use the registered secret.',
        },
        times: { label: 'Times', placeholder: '1' },
        corrupt_signature: { label: 'Corrupt the signature' },
      }}
    >
      <FormResponse label="Result" hidden />
    </EndpointForm>
  );
}

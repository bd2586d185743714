import { callControl } from '../../control/call-control.ts';
import { eventEndpoints } from '../../control/events.ts';
import { fireEndpoints } from '../../control/fire.ts';
import { webhookEndpoints } from '../../control/webhooks.ts';
import { EVENT_TYPES, EVENTS } from '../../events/event-types.ts';
import type { Tone } from '../../kernel/columns.ts';
import type { PageOf } from '../../kernel/resource.ts';
import { Command } from '../../ui/code.tsx';
import { ActionButton } from '../../ui/form.tsx';
import { EmptyState, Section } from '../../ui/layout.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Badge, Mono, Text, Timestamp } from '../../ui/text.tsx';
import { urlFor } from '../../ui/urls.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import type { ControlRegistration } from '../../webhooks/registration.ts';
import { FormResponse } from '../components.tsx';
import { listPage } from '../list-page.tsx';
import { commandFor, type Page, type PageContext } from '../page.ts';
import { EndpointForm } from '../schema-fields.tsx';
import { ResendButton } from './events.tsx';

/** The webhooks of every partner, and their deliveries. */
export async function deliveriesPage(page: PageContext): Promise<Page> {
  const query = { limit: '100' };
  const registered = await callControl(webhookEndpoints.getWebhooks, page, {
    query,
  });
  return listPage<Delivery>(page, {
    title: 'Deliveries',
    lead: 'Webhooks sent to registered URLs, with every attempt, newest first.',
    live: ['deliveries'],
    above: (
      <>
        <Registrations page={page} {...registered} />
        <FireForm page={page} />
      </>
    ),
    endpoint: eventEndpoints.getDeliveries,
    property: 'deliveries',
    filters: {
      status: { label: 'Status' },
      event_id: { label: 'Event ID', placeholder: 'evt_…', search: true },
    },
    ...tableOf(page),
    empty: (
      <EmptyState
        title="No deliveries yet."
        commands={[commandFor(page, 'webhooks listen --register')]}
      >
        Register a webhook with <code>PUT /api/partner/webhooks</code>, or start a receiver that
        registers itself.
      </EmptyState>
    ),
  });
}

export function DeliveryTable(props: { page: PageContext; deliveries: readonly Delivery[] }) {
  return <Table {...tableOf(props.page)} rows={props.deliveries} />;
}

function tableOf(page: PageContext) {
  const columns: Column<Delivery>[] = [
    {
      heading: 'Delivery',
      kind: 'main',
      cell: ({ delivery_id, url }) => (
        <a href={urlFor(page, `/dashboard/deliveries/${delivery_id}`)} data-row>
          <Mono>{delivery_id}</Mono>
          <span class="id">
            <Mono>{url}</Mono>
          </span>
        </a>
      ),
    },
    { heading: 'Status', cell: ({ status }) => <DeliveryStatus status={status} /> },
    { heading: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts.length },
    {
      heading: 'Last response',
      kind: 'line',
      cell: ({ attempts }) => {
        const last = attempts.at(-1);
        return last && formatAttempt(last);
      },
    },
    {
      heading: 'Next attempt',
      cell: ({ next_attempt_at }) => next_attempt_at && <Timestamp at={next_attempt_at} />,
    },
    {
      heading: 'Action',
      kind: 'actions',
      cell: (delivery) => <DeliveryAction page={page} delivery={delivery} />,
    },
  ];
  const keyOf = ({ delivery_id }: Delivery) => delivery_id;
  return { caption: 'Deliveries, newest first', columns, keyOf };
}

const TONES: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'warning',
  delivered: 'success',
  failed: 'error',
};

export function DeliveryStatus({ status }: Pick<Delivery, 'status'>) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}

/** Formats an attempt: `503 in 12 ms`, `timeout in 5000 ms`. */
export function formatAttempt(attempt: Delivery['attempts'][number]): string {
  const { outcome, http_status, duration_ms } = attempt;
  return `${http_status ?? outcome.replaceAll('_', ' ')} in ${duration_ms} ms`;
}

/** Renders a button that sends a delivered event again, or retries a delivery now. */
export function DeliveryAction(props: { page: PageContext; delivery: Delivery }) {
  const { page, delivery } = props;
  const { delivery_id, event_id, status } = delivery;
  if (status === 'delivered') return <ResendButton page={page} eventId={event_id} />;
  return (
    <ActionButton
      page={page}
      call={`POST /deliveries/${delivery_id}/retry`}
      done={`Retrying ${delivery_id}`}
      about={delivery_id}
    >
      Retry now
    </ActionButton>
  );
}

type RegistrationsProps = { page: PageContext } & PageOf<'webhooks', ControlRegistration>;

/** Renders the first hundred registered URLs. */
function Registrations({ page, webhooks, next_cursor: next }: RegistrationsProps) {
  if (webhooks.length === 0) return null;
  const columns: Column<ControlRegistration>[] = [
    { heading: 'URL', kind: 'main', cell: ({ url }) => <Mono>{url}</Mono> },
    { heading: 'Partner', cell: ({ partner }) => <Text>{partner}</Text> },
    { heading: 'Environment', cell: ({ environment }) => environment },
    { heading: 'Registered', cell: ({ updated_at }) => <Timestamp at={updated_at} /> },
    { heading: 'Pending', kind: 'number', cell: (each) => each.pending_deliveries },
    {
      heading: 'Action',
      kind: 'actions',
      cell: (each) => <RemoveButton page={page} webhook={each} />,
    },
  ];
  return (
    <Section title="Registered URLs" id="registrations">
      <Table
        caption="Registered webhook URLs, by partner"
        columns={columns}
        rows={webhooks}
        keyOf={({ partner_id, environment }) => `${partner_id} ${environment}`}
      />
      {next !== null && (
        <>
          <p class="quiet">Only the first {webhooks.length} are shown. To list all:</p>
          <Command text={commandFor(page, 'webhooks registrations')} />
        </>
      )}
    </Section>
  );
}

function RemoveButton({ page, webhook }: { page: PageContext; webhook: ControlRegistration }) {
  const { partner_id, environment, url, pending_deliveries: pending } = webhook;
  return (
    <ActionButton
      page={page}
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

function FireForm({ page }: { page: PageContext }) {
  return (
    <EndpointForm
      page={page}
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

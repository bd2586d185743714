import { eventEndpoints } from '../../control/events.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { column } from '../../ui/table.tsx';
import { Mono, Text, Timestamp } from '../../ui/text.tsx';
import type { ControlEvent } from '../../webhooks/event.ts';
import { ActionButton } from '../actions.tsx';
import { ItemLink } from '../components.tsx';
import { listPage } from '../list-page.tsx';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';

export function eventsPage(page: PageContext): Promise<Page> {
  const Sections = async ({ of }: { of: string }) => <>{await page.sections(of)}</>;
  return listPage<ControlEvent>(page, {
    title: 'Events',
    singular: 'event',
    lead: 'Changes of orders and brokerage cases, newest first. Each event is sent to the webhook of its partner.',
    live: ['events'],
    endpoint: eventEndpoints.listEvents,
    filters: {
      type: { label: 'Type' },
      subject_id: { label: 'Subject', placeholder: 'ord_…' },
    },
    caption: 'Events, newest first',
    keyOf: ({ id }) => id,
    columns: [
      column('Event', 'main', ({ id, type, data }) => (
        <details class="inline">
          <summary>
            <Mono>{type}</Mono>
            <span class="id">{id}</span>
          </summary>
          <CodeBlock text={JSON.stringify(data, null, 2)} label={`Data of ${id}`} />
          <Sections of={id} />
        </details>
      )),
      column('Subject', 'line', ({ subject_id }) => <ItemLink id={subject_id} />),
      { heading: 'Partner', kind: 'clip', cell: ({ partner }) => <Text>{partner}</Text> },
      { heading: 'Created', cell: ({ created_at }) => <Timestamp at={created_at} /> },
      column('Webhook', 'actions', ({ id }) => (
        <>
          <Link to="/dashboard/deliveries" query={{ event_id: id }}>
            Deliveries<span class="unseen"> of {id}</span>
          </Link>
          <ResendButton eventId={id} />
        </>
      )),
    ],
    empty: (
      <EmptyState title="No events yet." commands={['webhooks listen --register']}>
        Recording an order creates the first event. Start a receiver to see its webhook.
      </EmptyState>
    ),
  });
}

export function ResendButton({ eventId }: { eventId: string }) {
  return (
    <ActionButton
      call={`POST /events/${encodeURIComponent(eventId)}/resend`}
      done={`Resending ${eventId}`}
      about={eventId}
    >
      Resend
    </ActionButton>
  );
}

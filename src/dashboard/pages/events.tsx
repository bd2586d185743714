import { eventEndpoints } from '../../control/events.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { ActionButton } from '../../ui/form.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { Mono, Timestamp } from '../../ui/text.tsx';
import { urlFor } from '../../ui/urls.ts';
import type { ControlEvent } from '../../webhooks/event.ts';
import { SubjectLink } from '../components.tsx';
import { findEvidence } from '../evidence.tsx';
import { listPage } from '../list-page.tsx';
import { commandFor, type Page, type PageContext } from '../page.ts';

/** The events of every partner. */
export async function eventsPage(page: PageContext): Promise<Page> {
  const evidenceOf = await findEvidence(page);
  return listPage<ControlEvent>(page, {
    title: 'Events',
    lead: 'Changes of orders and brokerage cases, newest first. Each event is sent to the webhook of its partner.',
    live: ['events'],
    endpoint: eventEndpoints.listEvents,
    property: 'events',
    filters: {
      type: { label: 'Type' },
      subject_id: { label: 'Subject', placeholder: 'ord_…', search: true },
    },
    caption: 'Events, newest first',
    keyOf: ({ id }) => id,
    columns: [
      {
        heading: 'Event',
        kind: 'main',
        cell: ({ id, type, data }) => (
          <details class="inline">
            <summary data-row>
              <Mono>{type}</Mono>
              <span class="id">{id}</span>
            </summary>
            <CodeBlock text={JSON.stringify(data, null, 2)} label={`Data of ${id}`} />
            {evidenceOf(id)}
          </details>
        ),
      },
      {
        heading: 'Subject',
        kind: 'line',
        cell: ({ subject_id }) => <SubjectLink page={page} id={subject_id} />,
      },
      { heading: 'Partner', kind: 'clip', cell: ({ partner_id }) => <Mono>{partner_id}</Mono> },
      { heading: 'Created', cell: ({ created_at }) => <Timestamp at={created_at} /> },
      {
        heading: 'Webhook',
        kind: 'actions',
        cell: ({ id }) => (
          <>
            <a href={urlFor(page, '/dashboard/deliveries', { event_id: id })}>
              Deliveries<span class="unseen"> of {id}</span>
            </a>
            <ResendButton page={page} eventId={id} />
          </>
        ),
      },
    ],
    empty: (
      <EmptyState
        title="No events yet."
        commands={[commandFor(page, 'webhooks listen --register')]}
      >
        Recording an order creates the first event. Start a receiver to see its webhook.
      </EmptyState>
    ),
  });
}

/** Renders a button that delivers an event again. */
export function ResendButton({ page, eventId }: { page: PageContext; eventId: string }) {
  return (
    <ActionButton
      page={page}
      call={`POST /events/${encodeURIComponent(eventId)}/resend`}
      done={`Resending ${eventId}`}
      about={eventId}
    >
      Resend
    </ActionButton>
  );
}

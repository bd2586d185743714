import { ask } from '../../control/call-control.ts';
import type { ControlEvent } from '../../control/events.ts';
import { getAllEvents } from '../../control/events.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import type { PageOf } from '../../kernel/resource.ts';
import { listQuery, orProblem } from '../list-or-problem.ts';
import { Act } from '../parts/act.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Filter } from '../parts/filter.tsx';
import { Empty, Head, Problem } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Json, Mono } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place, segment, to } from '../place.ts';
import type { View } from '../reply.tsx';
import { subjectLink } from './order.tsx';

const FILTERS = ['type', 'subject_id'];

/** The events of every partner. */
export async function eventsPage(at: Place): Promise<View> {
  const query = listQuery(at.query, FILTERS);
  const found = await orProblem(ask<PageOf<'events', ControlEvent>>(getAllEvents, at, { query }));
  return {
    title: 'Events',
    live: ['events'],
    content: (
      <>
        <Head title="Events">
          What happened to orders and brokerage cases, newest first. Each is delivered to the
          webhook of its partner.
        </Head>
        <Filter at={at} label="Filter events" names={FILTERS}>
          <Choice
            label="Type"
            name="type"
            id="f-type"
            options={EVENT_TYPES}
            value={at.query.type}
            none="any"
          />
          <Field
            label="About"
            name="subject_id"
            id="f-subject"
            value={at.query.subject_id}
            placeholder="ord_…"
            search
          />
        </Filter>
        {'problem' in found ? (
          <Problem at={at} message={found.problem} />
        ) : (
          <>
            <EventTable at={at} events={found.events} />
            <Pager at={at} next={found.next_cursor} />
          </>
        )}
      </>
    ),
  };
}

function EventTable({ at, events }: { at: Place; events: ControlEvent[] }) {
  if (events.length === 0) {
    if (FILTERS.some((name) => at.query[name])) return <Empty says="No event fits this filter." />;
    return (
      <Empty
        says="Nothing has happened yet."
        commands={[command(at, 'webhooks listen --register')]}
      >
        The first recorded order brings the first event. Start a receiver to see its webhook too.
      </Empty>
    );
  }
  const columns: Column<ControlEvent>[] = [
    {
      heading: 'Event',
      kind: 'main',
      cell: ({ id, type, data }) => (
        <details class="inline">
          <summary data-row>
            <Mono>{type}</Mono>
            <span class="id">{id}</span>
          </summary>
          <Json value={data} label={`Data of ${id}`} />
        </details>
      ),
    },
    { heading: 'About', cell: ({ subject_id }) => subjectLink(at, subject_id) },
    { heading: 'Partner', kind: 'clip', cell: ({ partner_id }) => <Mono>{partner_id}</Mono> },
    { heading: 'At', cell: ({ created_at }) => <When at={created_at} /> },
    {
      heading: 'Webhook',
      kind: 'acts',
      cell: ({ id }) => (
        <>
          <a href={to(at, '/dashboard/deliveries', { event_id: id })}>
            Deliveries<span class="unseen"> of {id}</span>
          </a>
          <Act
            at={at}
            call={`POST /events/${segment(id)}/resend`}
            done={`${id} is on its way again`}
            about={id}
          >
            Resend
          </Act>
        </>
      ),
    },
  ];
  return (
    <Table caption="Events, newest first" columns={columns} rows={events} keyOf={({ id }) => id} />
  );
}

import { callControl } from '../../control/call-control.ts';
import { clockEndpoints, type UpcomingItem } from '../../control/clock.ts';
import { pageOf } from '../../control/object-pages.ts';
import { formatDuration, formatOffset } from '../../kernel/time.ts';
import { PageHeader, Section } from '../../ui/layout.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Text, Timestamp } from '../../ui/text.tsx';
import type { ControlClock } from '../../world/resources.ts';
import { Actions } from '../actions.tsx';
import { Clock } from '../components.tsx';
import { EmptyState, Link, type PageContext, type RenderedPage } from '../page.tsx';
import { ListPager } from '../resource-pages.tsx';
import { EndpointForm } from '../schema-fields.tsx';

/** Buttons that advance the clock: by how long, and what happens within that time. */
const ADVANCE_STEPS = [
  ['1m', 'first retries'],
  ['11m', 'quotes expire'],
  ['9h', 'retries end'],
  ['1d', 'idempotency keys expire'],
  ['8d', 'checkouts expire'],
  ['31d', 'referral cookies expire'],
] as const;

export async function clockPage(page: PageContext): Promise<RenderedPage> {
  const clock = await callControl(clockEndpoints.getClock, page);
  const { cursor } = page.query;
  const { upcoming, next_cursor } = await callControl(clockEndpoints.getClockUpcoming, page, {
    query: { limit: '100', ...(cursor && { cursor }) },
  });
  return {
    title: 'Clock',
    content: (
      <>
        <PageHeader title="Clock">
          Sandbox time only moves forward. Scheduled work on the way runs in order, each at its own
          time.
        </PageHeader>
        <ClockCard clock={clock} />
        <EndpointForm endpoint={clockEndpoints.postClockAdvance} title="Advance the clock" />
        <EndpointForm endpoint={clockEndpoints.postClockSet} title="Set the clock" />
        <Section title="Upcoming" id="upcoming">
          {upcoming.length === 0 ? (
            <EmptyState title={`Nothing ${cursor ? 'more ' : ''}is scheduled.`}>
              Expiring quotes and checkout sessions, webhook retries, and moves of magic domains
              appear here.
            </EmptyState>
          ) : (
            <Table
              caption="Scheduled work, soonest first"
              columns={upcomingColumns(clock)}
              rows={upcoming}
              keyOf={({ kind, id }) => `${kind} ${id}`}
            />
          )}
          <ListPager next={next_cursor} />
        </Section>
      </>
    ),
  };
}

function ClockCard({ clock }: { clock: ControlClock }) {
  return (
    <section class="card" aria-label="Sandbox time">
      <p class="big-clock">
        <Clock clock={clock} />
      </p>
      <p class="quiet">{formatOffset(clock.offset_ms)}</p>
      <div class="row">
        <Actions
          actions={[
            clock.frozen
              ? { label: 'Resume', call: 'POST /clock/resume', primary: true }
              : { label: 'Freeze', call: 'POST /clock/freeze', primary: true },
            { label: 'Advance to next', call: 'POST /clock/next' },
          ]}
        />
      </div>
      <div class="row">
        <Actions
          actions={ADVANCE_STEPS.map(([by, effect]) => ({
            label: `+${by}: ${effect}`,
            call: 'POST /clock/advance',
            send: { by },
          }))}
        />
      </div>
    </section>
  );
}

function upcomingColumns(clock: ControlClock): Column<UpcomingItem>[] {
  const timeLeft = ({ at }: UpcomingItem) =>
    formatDuration(Math.max(0, Date.parse(at) - Date.parse(clock.now)));
  return [
    {
      heading: 'What',
      layout: 'main',
      cell: ({ id, what }) => (
        <Link to={pageOf(id)?.path ?? '/dashboard/clock'}>
          <Text>{what}</Text>
        </Link>
      ),
    },
    { heading: 'Kind', cell: ({ kind }) => kind.replaceAll('_', ' ') },
    { heading: 'At', cell: ({ at }) => <Timestamp at={at} /> },
    { heading: 'In', layout: 'number', cell: timeLeft },
  ];
}

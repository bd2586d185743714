import { ask } from '../../control/call-control.ts';
import type { UpcomingItem } from '../../control/clock.ts';
import { getClock, getClockUpcoming } from '../../control/clock.ts';
import { formatDuration } from '../../kernel/time.ts';
import type { ControlClock } from '../../world/resources.ts';
import { Act, ActForm } from '../parts/act.tsx';
import { Field } from '../parts/field.tsx';
import { Empty, Head, Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Text } from '../parts/text.tsx';
import { Clock, When } from '../parts/when.tsx';
import { type Place, segment, to } from '../place.ts';
import type { View } from '../reply.tsx';

/** As far as one goes in practice: past a quote, a day, a checkout session, a settlement period. */
const STEPS = ['1m', '11m', '1h', '1d', '8d', '31d'];

/** Sandbox time, moving it, and what falls due. */
export async function clockPage(at: Place): Promise<View> {
  const clock = await ask<ControlClock>(getClock, at);
  const { upcoming } = await ask<{ upcoming: UpcomingItem[] }>(getClockUpcoming, at, {
    query: { limit: '100' },
  });
  return {
    title: 'Clock',
    live: ['upcoming', 'deliveries', 'orders'],
    content: (
      <>
        <Head title="Clock">
          Sandbox time goes forward only; whatever falls due on the way happens, in order, at its
          own time.
        </Head>
        <section class="card" aria-label="Sandbox time">
          <p class="big-clock">
            <Clock reading={clock} />
          </p>
          <p class="quiet">{distance(clock)}</p>
          <div class="row">
            {clock.frozen ? (
              <Act at={at} call="POST /clock/resume" done="The clock runs" kind="main">
                Resume
              </Act>
            ) : (
              <Act at={at} call="POST /clock/freeze" done="The clock stands" kind="main">
                Freeze
              </Act>
            )}
            <Act at={at} call="POST /clock/next" done="The clock is at what fell due next">
              To what is next
            </Act>
          </div>
          <div class="row">
            {STEPS.map((by) => (
              <Act at={at} call="POST /clock/advance" send={{ by }} done={`Moved on by ${by}`}>
                +{by}
              </Act>
            ))}
          </div>
          <div class="columns">
            <ActForm
              at={at}
              call="POST /clock/advance"
              done="The clock was moved on"
              class="form line"
              label="Advance"
            >
              <Field
                label="Advance by"
                name="by"
                id="clock-by"
                placeholder="1h30m"
                required
                search
              />
              <button type="submit" class="plain">
                Advance
              </button>
            </ActForm>
            <ActForm
              at={at}
              call="POST /clock/set"
              done="The clock was set"
              class="form line"
              label="Set"
            >
              <Field
                label="Set to"
                name="to"
                id="clock-to"
                placeholder={clock.now.slice(0, 16).concat('Z')}
                required
              />
              <button type="submit" class="plain">
                Set
              </button>
            </ActForm>
          </div>
        </section>
        <Section title="Upcoming" id="upcoming">
          {upcoming.length === 0 ? (
            <Empty says="Nothing is due.">
              Quotes and checkout sessions that expire, retries of webhooks and moves of magic
              domains stand here, with their times.
            </Empty>
          ) : (
            <Table
              caption="What falls due, soonest first"
              columns={columnsFor(at, clock)}
              rows={upcoming}
              keyOf={({ kind, id }) => `${kind} ${id}`}
            />
          )}
        </Section>
      </>
    ),
  };
}

function distance({ offset_ms }: ControlClock): string {
  const far = formatDuration(Math.abs(offset_ms));
  if (Math.abs(offset_ms) < 1_000) return 'At real time.';
  return `${far} ${offset_ms > 0 ? 'ahead of' : 'behind'} real time.`;
}

const PAGES: Record<string, string> = { delivery: 'deliveries', order_move: 'orders' };

function columnsFor(at: Place, clock: ControlClock): Column<UpcomingItem>[] {
  const now = Date.parse(clock.now);
  return [
    {
      heading: 'What',
      kind: 'main',
      cell: ({ kind, id, what }) => {
        const page = PAGES[kind];
        if (page === undefined) return <Text>{what}</Text>;
        return (
          <a href={to(at, `/dashboard/${page}/${segment(id)}`)} data-row>
            <Text>{what}</Text>
          </a>
        );
      },
    },
    { heading: 'Kind', cell: ({ kind }) => kind.replaceAll('_', ' ') },
    { heading: 'At', cell: (each) => <When at={each.at} /> },
    {
      heading: 'In',
      kind: 'number',
      cell: (each) => formatDuration(Math.max(0, Date.parse(each.at) - now)),
    },
  ];
}

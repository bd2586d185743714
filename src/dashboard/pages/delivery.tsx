import { ask } from '../../control/call-control.ts';
import type { ControlEvent } from '../../control/events.ts';
import { getDelivery } from '../../control/events.ts';
import type { Delivery } from '../../webhooks/deliveries.ts';
import { Badge, State } from '../parts/badge.tsx';
import { Facts, Head, Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Json, Mono } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { type Place, to } from '../place.ts';
import type { View } from '../reply.tsx';
import { AgainButton, attemptInWords } from './deliveries.tsx';
import { subjectLink } from './order.tsx';

type Attempt = Delivery['attempts'][number];

/** One delivery with its attempts and what it tells. */
export async function deliveryPage(at: Place, id: string): Promise<View> {
  const delivery = await ask<Delivery & { event: ControlEvent }>(getDelivery, at, {
    params: { id },
  });
  const { event, attempts } = delivery;
  return {
    title: delivery.delivery_id,
    live: ['deliveries'],
    content: (
      <>
        <p class="crumbs">
          <a href={to(at, '/dashboard/deliveries')}>Deliveries</a>
        </p>
        <Head
          title={<Mono>{delivery.delivery_id}</Mono>}
          acts={<AgainButton at={at} delivery={delivery} />}
        />
        <section class="card" aria-label="Delivery">
          <p class="outcome">
            <State>{delivery.status}</State>
          </p>
          <Facts
            facts={[
              ['Url', <Mono>{delivery.url}</Mono>],
              ['Event', <Mono>{event.type}</Mono>],
              ['Event id', <Mono>{event.id}</Mono>],
              ['About', subjectLink(at, event.subject_id)],
              ['Partner', `${event.partner_id}, ${event.environment}`],
              ['Next attempt', delivery.next_attempt_at && <When at={delivery.next_attempt_at} />],
            ]}
          />
        </section>
        <Section title="Attempts" id="attempts">
          {attempts.length === 0 ? (
            <p class="quiet">None yet.</p>
          ) : (
            <Table
              caption="Attempts, first to last"
              columns={COLUMNS}
              rows={attempts.map((attempt, n) => ({ ...attempt, n: n + 1 }))}
              keyOf={({ n }) => `attempt-${n}`}
            />
          )}
        </Section>
        <Section title="What it tells" id="event">
          <Json value={event.data} label={`Data of ${event.id}`} />
        </Section>
      </>
    ),
  };
}

const COLUMNS: Column<Attempt & { n: number }>[] = [
  { heading: 'Attempt', kind: 'main', cell: ({ n }) => n },
  { heading: 'At', cell: ({ at }) => <When at={at} ms /> },
  {
    heading: 'Outcome',
    cell: ({ outcome }) => (
      <Badge tone={outcome === 'ok' ? 'good' : 'bad'}>{outcome.replaceAll('_', ' ')}</Badge>
    ),
  },
  { heading: 'Answer', cell: (attempt) => attemptInWords(attempt) },
];

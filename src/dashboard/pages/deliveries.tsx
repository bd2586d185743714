import { ask } from '../../control/call-control.ts';
import { getDeliveries } from '../../control/events.ts';
import type { ControlRegistration } from '../../control/webhooks.ts';
import { getWebhooks } from '../../control/webhooks.ts';
import type { PageOf } from '../../kernel/resource.ts';
import { DELIVERY_STATUSES } from '../../store/schema/enums.ts';
import type { Delivery } from '../../webhooks/deliveries.ts';
import { listQuery, orProblem } from '../list-or-problem.ts';
import { Act } from '../parts/act.tsx';
import { State } from '../parts/badge.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Filter } from '../parts/filter.tsx';
import { Empty, Head, Problem } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Mono } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place, segment, to } from '../place.ts';
import type { View } from '../reply.tsx';
import { FireForm } from './fire-form.tsx';
import { Registrations } from './registrations.tsx';

const FILTERS = ['status', 'event_id'];

/** What is sent to the webhooks of partners, and what came of it. */
export async function deliveriesPage(at: Place): Promise<View> {
  const query = listQuery(at.query, FILTERS);
  const found = await orProblem(ask<PageOf<'deliveries', Delivery>>(getDeliveries, at, { query }));
  const registered = await ask<PageOf<'webhooks', ControlRegistration>>(getWebhooks, at, {
    query: { limit: '100' },
  });
  return {
    title: 'Deliveries',
    live: ['deliveries'],
    content: (
      <>
        <Head title="Deliveries">
          Webhooks to the urls that partners have registered, with every attempt, newest first.
        </Head>
        <Registrations at={at} {...registered} />
        <FireForm at={at} />
        <Filter at={at} label="Filter deliveries" names={FILTERS}>
          <Choice
            label="Status"
            name="status"
            id="f-status"
            options={DELIVERY_STATUSES}
            value={at.query.status}
            none="any"
          />
          <Field
            label="Event id"
            name="event_id"
            id="f-event"
            value={at.query.event_id}
            placeholder="evt_…"
            search
          />
        </Filter>
        {'problem' in found ? (
          <Problem at={at} message={found.problem} />
        ) : (
          <>
            {found.deliveries.length === 0 ? (
              <NoDeliveries at={at} />
            ) : (
              <DeliveryTable at={at} deliveries={found.deliveries} />
            )}
            <Pager at={at} next={found.next_cursor} />
          </>
        )}
      </>
    ),
  };
}

function NoDeliveries({ at }: { at: Place }) {
  if (FILTERS.some((name) => at.query[name])) {
    return <Empty says="No delivery fits this filter." />;
  }
  return (
    <Empty
      says="No webhook has been sent yet."
      commands={[command(at, 'webhooks listen --register')]}
    >
      Deliveries begin once a partner has registered a url: with PUT /api/partner/webhooks, or with
      a receiver that registers itself.
    </Empty>
  );
}

export function DeliveryTable({ at, deliveries }: { at: Place; deliveries: Delivery[] }) {
  const columns: Column<Delivery>[] = [
    {
      heading: 'Delivery',
      kind: 'main',
      cell: ({ delivery_id, url }) => (
        <a href={to(at, `/dashboard/deliveries/${segment(delivery_id)}`)} data-row>
          <Mono>{delivery_id}</Mono>
          <span class="id">
            <Mono>{url}</Mono>
          </span>
        </a>
      ),
    },
    { heading: 'Status', cell: ({ status }) => <State>{status}</State> },
    { heading: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts.length },
    {
      heading: 'Last answer',
      cell: ({ attempts }) => {
        const last = attempts.at(-1);
        return last && <Mono>{attemptInWords(last)}</Mono>;
      },
    },
    {
      heading: 'Next attempt',
      cell: ({ next_attempt_at }) => next_attempt_at && <When at={next_attempt_at} />,
    },
    {
      heading: 'Again',
      kind: 'acts',
      cell: (delivery) => <AgainButton at={at} delivery={delivery} />,
    },
  ];
  return (
    <Table
      caption="Deliveries, newest first"
      columns={columns}
      rows={deliveries}
      keyOf={({ delivery_id }) => delivery_id}
    />
  );
}

/** What has arrived can be sent once more as a delivery of its own; what has not is tried now. */
export function AgainButton({ at, delivery }: { at: Place; delivery: Delivery }) {
  const { delivery_id, event_id, status } = delivery;
  if (status === 'delivered') {
    return (
      <Act
        at={at}
        call={`POST /events/${segment(event_id)}/resend`}
        done={`${event_id} is on its way again`}
        about={event_id}
      >
        Resend
      </Act>
    );
  }
  return (
    <Act
      at={at}
      call={`POST /deliveries/${segment(delivery_id)}/retry`}
      done={`${delivery_id} is tried now`}
      about={delivery_id}
    >
      Retry now
    </Act>
  );
}

/** `503 in 12 ms`, `timeout in 5000 ms`. */
export function attemptInWords(attempt: Delivery['attempts'][number]): string {
  const { outcome, http_status, duration_ms } = attempt;
  return `${http_status ?? outcome.replaceAll('_', ' ')} in ${duration_ms} ms`;
}

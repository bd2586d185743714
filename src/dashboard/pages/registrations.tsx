import type { ControlRegistration } from '../../control/webhooks.ts';
import type { PageOf } from '../../kernel/resource.ts';
import { Act } from '../parts/act.tsx';
import { Command } from '../parts/copy.tsx';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Mono, Text } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place } from '../place.ts';

/** The first page of where the events of each partner go. */
export function Registrations({
  at,
  webhooks,
  next_cursor: more,
}: PageOf<'webhooks', ControlRegistration> & { at: Place }) {
  if (webhooks.length === 0) return null;
  const columns: Column<ControlRegistration>[] = [
    { heading: 'Url', kind: 'main', cell: ({ url }) => <Mono>{url}</Mono> },
    { heading: 'Partner', cell: ({ partner }) => <Text>{partner}</Text> },
    { heading: 'Environment', cell: ({ environment }) => environment },
    { heading: 'Since', cell: ({ updated_at }) => <When at={updated_at} /> },
    { heading: 'Still owed', kind: 'number', cell: (each) => each.pending_deliveries },
    { heading: 'Change', kind: 'acts', cell: (each) => <RemoveButton at={at} webhook={each} /> },
  ];
  return (
    <Section title="Registered urls" id="registrations">
      <Table
        caption="Registered webhook urls, by partner"
        columns={columns}
        rows={webhooks}
        keyOf={({ partner_id, environment }) => `${partner_id} ${environment}`}
      />
      {more !== null && (
        <>
          <p class="quiet">
            There are more than these {webhooks.length}; the command line pages through them all:
          </p>
          <Command text={command(at, 'webhooks registrations')} />
        </>
      )}
    </Section>
  );
}

function RemoveButton({ at, webhook }: { at: Place; webhook: ControlRegistration }) {
  const { partner_id, environment, url, pending_deliveries: owed } = webhook;
  return (
    <Act
      at={at}
      call="DELETE /webhooks"
      query={{ partner_id, environment }}
      confirm={`Remove ${url}? ${owed === 0 ? 'Nothing is owed to it.' : `What it is still owed fails: ${owed} of its deliveries.`}`}
      done={`${url} is removed`}
      about={url}
    >
      Remove
    </Act>
  );
}

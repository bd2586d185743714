import { ask } from '../../control/ask.ts';
import { getFaults } from '../../control/faults.ts';
import type { FaultShape, Page } from '../../control/shapes.ts';
import { effectInWords, hitsInWords, matchInWords } from '../../faults/in-words.ts';
import { listQuery, orProblem } from '../list-or-problem.ts';
import { Act } from '../parts/act.tsx';
import { Empty, Head, Problem } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Mono } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place, segment, to } from '../place.ts';
import type { View } from '../reply.tsx';
import { CallFaultForm, WebhookFaultForm } from './fault-forms.tsx';

/** The rules that make calls and webhooks go wrong. */
export async function faultsPage(at: Place): Promise<View> {
  const query = listQuery(at.query, []);
  const found = await orProblem(ask<Page & { faults: FaultShape[] }>(getFaults, at, { query }));
  return {
    title: 'Faults',
    live: ['faults'],
    content: (
      <>
        <Head
          title="Faults"
          acts={
            <Act
              at={at}
              call="DELETE /faults"
              done="There are no faults any more"
              confirm={`Take every fault of the world ${at.world.name} away?`}
            >
              Clear all
            </Act>
          }
        >
          Rules that make calls of the partner API and webhooks go wrong. They are asked in this
          order, and the first that acts is the only one.
        </Head>
        <CallFaultForm at={at} />
        <WebhookFaultForm at={at} />
        {'problem' in found ? (
          <Problem at={at} message={found.problem} />
        ) : (
          <>
            <FaultTable at={at} faults={found.faults} />
            <Pager at={at} next={found.next_cursor} />
          </>
        )}
      </>
    ),
  };
}

function FaultTable({ at, faults }: { at: Place; faults: FaultShape[] }) {
  if (faults.length === 0) {
    return (
      <Empty
        says="Nothing goes wrong on purpose."
        commands={[
          command(at, 'faults add --method POST --path /orders --code internal_error --first 3'),
        ]}
      >
        Add a rule above, or from a terminal.
      </Empty>
    );
  }
  const columns: Column<FaultShape>[] = [
    {
      heading: 'Strikes',
      kind: 'main',
      cell: (fault) => (
        <>
          <Mono>{matchInWords(fault)}</Mono>
          <span class="id">{fault.fault_id}</span>
        </>
      ),
    },
    { heading: 'Effect', cell: (fault) => <Mono>{effectInWords(fault)}</Mono> },
    {
      heading: 'Hits',
      kind: 'number',
      cell: (fault) =>
        fault.hits > 0 && !fault.webhook ? (
          <a href={to(at, '/dashboard/requests', { text: fault.fault_id })}>{hitsInWords(fault)}</a>
        ) : (
          hitsInWords(fault)
        ),
    },
    { heading: 'Since', cell: ({ created_at }) => <When at={created_at} /> },
    {
      heading: 'Remove',
      kind: 'acts',
      cell: ({ fault_id }) => (
        <Act
          at={at}
          call={`DELETE /faults/${segment(fault_id)}`}
          done="The fault is gone"
          about={fault_id}
        >
          Remove
        </Act>
      ),
    },
  ];
  return (
    <Table
      caption="Faults, in the order in which they are asked"
      columns={columns}
      rows={faults}
      keyOf={({ fault_id }) => fault_id}
    />
  );
}

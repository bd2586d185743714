import { ask } from '../../control/call-control.ts';
import { getFaults } from '../../control/faults.ts';
import { describeEffect, describeHits, describeMatch } from '../../faults/describe-fault.ts';
import type { Fault } from '../../faults/faults.ts';
import type { PageOf } from '../../kernel/resource.ts';
import { listQuery, orProblem } from '../list-or-problem.ts';
import { Act } from '../parts/act.tsx';
import { Empty, Head, Problem } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Mono } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place, segment, to } from '../place.ts';
import type { View } from '../reply.tsx';
import { FaultForm } from './fault-form.tsx';

/** The faults of a world, and forms that add one. */
export async function faultsPage(at: Place): Promise<View> {
  const query = listQuery(at.query, []);
  const found = await orProblem(ask<PageOf<'faults', Fault>>(getFaults, at, { query }));
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
              done="Faults deleted"
              confirm={`Delete every fault of the world ${at.world.name}?`}
            >
              Clear all
            </Act>
          }
        >
          Faults of partner API requests and of webhooks. They are matched in this order, and only
          the first that acts is injected.
        </Head>
        <FaultForm at={at} kind="request" />
        <FaultForm at={at} kind="webhook" />
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

function FaultTable({ at, faults }: { at: Place; faults: Fault[] }) {
  if (faults.length === 0) {
    return (
      <Empty
        says="No faults."
        commands={[
          command(at, 'faults add --method POST --path /orders --code internal_error --first 3'),
        ]}
      >
        Add one above, or from a terminal.
      </Empty>
    );
  }
  const columns: Column<Fault>[] = [
    {
      heading: 'Match',
      kind: 'main',
      cell: (fault) => (
        <>
          <Mono>{describeMatch(fault)}</Mono>
          <span class="id">{fault.fault_id}</span>
        </>
      ),
    },
    { heading: 'Effect', cell: (fault) => <Mono>{describeEffect(fault)}</Mono> },
    {
      heading: 'Hits',
      kind: 'number',
      cell: (fault) =>
        fault.hits > 0 && !fault.webhook ? (
          <a href={to(at, '/dashboard/requests', { text: fault.fault_id })}>
            {describeHits(fault)}
          </a>
        ) : (
          describeHits(fault)
        ),
    },
    { heading: 'Added', cell: ({ created_at }) => <When at={created_at} /> },
    {
      heading: 'Delete',
      kind: 'acts',
      cell: ({ fault_id }) => (
        <Act
          at={at}
          call={`DELETE /faults/${segment(fault_id)}`}
          done="Fault deleted"
          about={fault_id}
        >
          Delete
        </Act>
      ),
    },
  ];
  return (
    <Table
      caption="Faults, in the order in which they are matched"
      columns={columns}
      rows={faults}
      keyOf={({ fault_id }) => fault_id}
    />
  );
}

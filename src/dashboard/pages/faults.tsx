import { faultEndpoints } from '../../control/faults.ts';
import type { Fault } from '../../faults/fault.ts';
import { describeEffect, describeHits, describeMatch } from '../../faults/fault.ts';
import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from '../../faults/fault-effects.ts';
import type { FieldRow, FieldTable } from '../../faults/fault-fields.ts';
import { type FaultKind, filtersOf, OCCURRENCES, TIMES } from '../../faults/fault-matchers.ts';
import { Check, Choice, Field } from '../../ui/form.tsx';
import { Details } from '../../ui/layout.tsx';
import { column } from '../../ui/table.tsx';
import { Mono, Timestamp } from '../../ui/text.tsx';
import { ActionButton, ActionForm } from '../actions.tsx';
import { listPage } from '../list-page.tsx';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';

export function faultsPage(page: PageContext): Promise<Page> {
  const command = 'faults add --method POST --path /orders --code internal_error --first 3';
  return listPage<Fault>(page, {
    title: 'Faults',
    singular: 'fault',
    lead: 'Faults in partner API requests and webhooks. They are matched in this order, and only the first that acts is injected.',
    live: ['faults'],
    actions: (
      <ActionButton
        call="DELETE /faults"
        done="Deleted all faults"
        confirm={`Delete all faults of world ${page.world.name}?`}
      >
        Delete all
      </ActionButton>
    ),
    above: (
      <>
        <FaultForm kind="request" />
        <FaultForm kind="webhook" />
      </>
    ),
    endpoint: faultEndpoints.getFaults,
    caption: 'Faults, in the order in which they are matched',
    keyOf: ({ fault_id }) => fault_id,
    columns: [
      column('Match', 'main', (fault) => (
        <>
          <Mono>{describeMatch(fault)}</Mono>
          <span class="id">{fault.fault_id}</span>
        </>
      )),
      { heading: 'Effect', cell: (fault) => <Mono>{describeEffect(fault)}</Mono> },
      { heading: 'Hits', kind: 'number', cell: (fault) => <Hits fault={fault} /> },
      { heading: 'Added', cell: ({ created_at }) => <Timestamp at={created_at} /> },
      column('Action', 'actions', ({ fault_id }) => (
        <ActionButton
          call={`DELETE /faults/${fault_id}`}
          done={`Deleted fault ${fault_id}`}
          about={fault_id}
        >
          Delete
        </ActionButton>
      )),
    ],
    empty: (
      <EmptyState title="No faults." commands={[command]}>
        Add one above, or from a terminal.
      </EmptyState>
    ),
  });
}

function Hits({ fault }: { fault: Fault }) {
  const hits = describeHits(fault);
  if (fault.hits === 0 || fault.webhook) return <>{hits}</>;
  return (
    <Link to="/dashboard/requests" query={{ text: fault.fault_id }}>
      {hits}
    </Link>
  );
}

/** Renders a form that adds a fault. Its controls come from the tables of matchers and effects. */
function FaultForm({ kind }: { kind: FaultKind }) {
  const title = `Add a ${kind} fault`;
  return (
    <Details title={title} id={`${kind}-fault`}>
      <ActionForm call="POST /faults" done="Fault added" class="form" label={title}>
        <fieldset>
          <legend>Match {kind}s</legend>
          <Controls kind={kind} name="match" table={filtersOf(kind)} />
        </fieldset>
        <fieldset>
          <legend>Effect</legend>
          {kind === 'request' ? (
            <Controls kind={kind} name="effect" table={REQUEST_EFFECTS} />
          ) : (
            <Controls kind={kind} name="webhook" table={WEBHOOK_EFFECTS} />
          )}
        </fieldset>
        <fieldset>
          <legend>Frequency</legend>
          <Controls kind={kind} name="match" table={OCCURRENCES} />
          <Control id={`${kind}-times`} name="times" row={TIMES} />
        </fieldset>
        <p class="row">
          <button type="submit">Add</button>
        </p>
      </ActionForm>
    </Details>
  );
}

/** @param name of the object that holds the fields */
function Controls({ kind, name, table }: { kind: FaultKind; name: string; table: FieldTable }) {
  return (
    <>
      {Object.entries(table).map(([field, row]) => (
        <Control id={`${kind}-${field}`} name={`${name}.${field}`} row={row} />
      ))}
    </>
  );
}

function Control({ id, name, row }: { id: string; name: string; row: FieldRow }) {
  const { field, form } = row;
  if (!form) return null;
  const { label, empty = '', labels = {} } = form;
  switch (field.type) {
    case 'flag':
      return <Check label={label} name={name} />;
    case 'choice':
      return (
        <Choice
          label={label}
          name={name}
          id={id}
          // The empty option is the default.
          options={field.values
            .filter((value) => value !== row.default)
            .map((value) => [value, labels[value] ?? value] as const)}
          empty={empty}
        />
      );
    case 'integer':
    case 'fraction':
      return <Field label={label} name={name} id={id} as="number" placeholder={empty} />;
    case 'text':
    case 'domain':
      return <Field label={label} name={name} id={id} placeholder={empty} />;
  }
}

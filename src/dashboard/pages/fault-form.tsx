import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from '../../faults/fault-effects.ts';
import type { FieldRow, FieldTable } from '../../faults/fault-fields.ts';
import { type FaultKind, filtersOf, OCCURRENCES, TIMES } from '../../faults/fault-matchers.ts';
import { ActForm } from '../parts/act.tsx';
import { Check, Choice, Field } from '../parts/field.tsx';
import { Fold } from '../parts/section.tsx';
import type { Place } from '../place.ts';

/** A form that adds a fault of requests, or one of webhooks. */
export function FaultForm({ at, kind }: { at: Place; kind: FaultKind }) {
  const title = `Add a fault of ${kind}s`;
  return (
    <Fold title={title} id={`${kind}-fault`}>
      <ActForm at={at} call="POST /faults" done="Fault added" class="form" label={title}>
        <fieldset>
          <legend>Which {kind}s</legend>
          <Controls kind={kind} name="match" table={filtersOf(kind)} />
        </fieldset>
        <fieldset>
          <legend>What happens</legend>
          {kind === 'request' ? (
            <Controls kind={kind} name="effect" table={REQUEST_EFFECTS} />
          ) : (
            <Controls kind={kind} name="webhook" table={WEBHOOK_EFFECTS} />
          )}
        </fieldset>
        <fieldset>
          <legend>How often</legend>
          <Controls kind={kind} name="match" table={OCCURRENCES} />
          <Control id={`${kind}-times`} name="times" row={TIMES} />
        </fieldset>
        <p class="row">
          <button type="submit">Add</button>
        </p>
      </ActForm>
    </Fold>
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
          // `empty` stands for the default.
          options={field.values
            .filter((value) => value !== row.default)
            .map((value) => [value, labels[value] ?? value] as const)}
          none={empty}
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

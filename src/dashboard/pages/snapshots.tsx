import { ask } from '../../control/call-control.ts';
import { getSnapshots } from '../../control/snapshots.ts';
import type { PageOf } from '../../kernel/resource.ts';
import type { ControlSnapshot } from '../../world/resources.ts';
import { listQuery } from '../list-or-problem.ts';
import { Act, ActForm } from '../parts/act.tsx';
import { Check, Field } from '../parts/field.tsx';
import { Empty, Section } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Mono, Text } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place, segment } from '../place.ts';

/** The snapshots of a world: save, restore, delete. */
export async function SnapshotSection({ at }: { at: Place }) {
  const query = listQuery(at.query, []);
  const found = await ask<PageOf<'snapshots', ControlSnapshot>>(getSnapshots, at, { query });
  return (
    <Section title={`Snapshots of ${at.world.name}`} id="snapshots">
      <ActForm
        at={at}
        call="POST /snapshots"
        done="The snapshot is saved"
        class="form line"
        label="Save a snapshot"
      >
        <Field
          label="Save this world as"
          name="name"
          id="snapshot-name"
          required
          placeholder="paid"
        />
        <Check label="Replace one of that name" name="replace" />
        <button type="submit" class="plain">
          Save
        </button>
      </ActForm>
      {found.snapshots.length === 0 ? (
        <Empty
          says="There is no snapshot of this world."
          commands={[command(at, 'snapshots save paid')]}
        >
          Save one before something is tried out, and come back to it as often as you like.
        </Empty>
      ) : (
        <Table
          caption="Snapshots, by name"
          columns={columnsFor(at)}
          rows={found.snapshots}
          keyOf={({ name }) => name}
        />
      )}
      <Pager at={at} next={found.next_cursor} />
    </Section>
  );
}

function columnsFor(at: Place): Column<ControlSnapshot>[] {
  return [
    {
      heading: 'Snapshot',
      kind: 'main',
      cell: ({ name, problem }) => (
        <>
          <Mono>{name}</Mono>
          {problem !== null && (
            <span class="id">
              <Text>{problem}</Text>
            </span>
          )}
        </>
      ),
    },
    { heading: 'Saved', cell: ({ created_at }) => created_at && <When at={created_at} /> },
    { heading: 'Clock', cell: ({ clock }) => clock && <When at={clock.now} /> },
    {
      heading: 'Size',
      kind: 'number',
      cell: ({ size_bytes }) => `${(size_bytes / 1_000_000).toFixed(1)} MB`,
    },
    {
      heading: 'Change',
      kind: 'acts',
      cell: ({ name }) => (
        <>
          <Act
            at={at}
            call={`POST /snapshots/${segment(name)}/restore`}
            done={`The world is as it was in ${name}`}
            confirm={`Put the world ${at.world.name} back to the snapshot ${name}? What happened since is lost.`}
            about={name}
          >
            Restore
          </Act>
          <Act
            at={at}
            call={`DELETE /snapshots/${segment(name)}`}
            done={`The snapshot ${name} is gone`}
            confirm={`Delete the snapshot ${name}?`}
            about={name}
          >
            Delete
          </Act>
        </>
      ),
    },
  ];
}

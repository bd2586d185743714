import { callControl } from '../../control/call-control.ts';
import { snapshotEndpoints } from '../../control/snapshots.ts';
import { worldEndpoints } from '../../control/worlds.ts';
import { PageHeader, Section } from '../../ui/layout.tsx';
import { type Column, column, columnsFrom, Table } from '../../ui/table.tsx';
import { Badge, Mono, Text } from '../../ui/text.tsx';
import {
  type ControlSnapshot,
  type ControlWorld,
  snapshot as snapshotResource,
  world as worldResource,
} from '../../world/resources.ts';
import { urlInWorld } from '../../world/urls.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { ActionButton, ActionForm } from '../actions.tsx';
import { Clock } from '../components.tsx';
import { ListPager, MoreRows } from '../list-page.tsx';
import { EmptyState, type Page, type PageContext, usePage } from '../page.tsx';
import { EndpointForm, SchemaFields } from '../schema-fields.tsx';

export async function worldsPage(page: PageContext): Promise<Page> {
  const { worlds, next_cursor: next } = await callControl(worldEndpoints.getWorlds, page, {
    query: { limit: '100' },
  });
  const { cursor } = page.query;
  const snapshots = await callControl(snapshotEndpoints.getSnapshots, page, {
    query: { limit: '50', ...(cursor && { cursor }) },
  });
  return {
    title: 'Worlds',
    live: ['snapshots'],
    content: (
      <>
        <PageHeader title="Worlds" actions={<WorldActions />}>
          Isolated marketplaces on one port. A key belongs to the world in which it was created.
        </PageHeader>
        <CreateForm />
        <Section title="Worlds" id="worlds">
          <Table
            caption="Worlds"
            columns={worldColumns(page)}
            rows={worlds}
            keyOf={({ name }) => name}
          />
          <MoreRows next={next} count={worlds.length} command="worlds list" />
        </Section>
        <Section title={`Snapshots of ${page.world.name}`} id="snapshots">
          <SaveForm />
          {snapshots.snapshots.length === 0 ? (
            <EmptyState title="No snapshots of this world." commands={['snapshots save paid']}>
              Save one before you try something, and restore it as often as you like.
            </EmptyState>
          ) : (
            <Table
              caption="Snapshots, by name"
              columns={snapshotColumns(page)}
              rows={snapshots.snapshots}
              keyOf={({ name }) => name}
            />
          )}
          <ListPager next={snapshots.next_cursor} />
        </Section>
      </>
    ),
  };
}

function WorldActions() {
  const { name } = usePage().world;
  return (
    <>
      <ActionButton call="POST /rate-limits/reset" done={`Reset rate limits of ${name}`}>
        Reset rate limits
      </ActionButton>
      <ActionButton
        call="POST /reset"
        done={`Reset world ${name}`}
        confirm={`Reset world ${name} to its seed? Credentials stay; orders, events and everything else are deleted.`}
      >
        Reset this world
      </ActionButton>
    </>
  );
}

function CreateForm() {
  return (
    <EndpointForm
      endpoint={worldEndpoints.postWorld}
      title="Create a world"
      id="create"
      button="Create"
      done="World created"
      fields={{
        name: { label: 'Name', placeholder: 'w1' },
        fork: {
          label: 'Fork of',
          hint: 'A world, or a snapshot of this one. Leave empty for a new inventory.',
        },
        seed: { label: 'Seed', hint: 'Determines inventory and IDs of a new world.' },
      }}
    />
  );
}

function SaveForm() {
  return (
    <ActionForm
      call="POST /snapshots"
      done="Snapshot saved"
      class="form line"
      label="Save a snapshot"
    >
      <SchemaFields
        schema={snapshotEndpoints.postSnapshot.body}
        prefix="snapshot"
        fields={{
          name: { label: 'Save this world as', placeholder: 'paid' },
          replace: { label: 'Overwrite an existing snapshot' },
        }}
      />
      <button type="submit" class="plain">
        Save
      </button>
    </ActionForm>
  );
}

function worldColumns(page: PageContext): Column<ControlWorld>[] {
  const currentName = page.world.name;
  return [
    column('World', 'main', ({ name }) => (
      <>
        <a href={urlInWorld(name, '/dashboard/worlds')}>
          <Mono>{name}</Mono>
        </a>{' '}
        {name === currentName && <Badge tone="success">current</Badge>}
      </>
    )),
    ...columnsFrom(worldResource, 'seed'),
    { heading: 'Clock', cell: ({ clock }) => <Clock clock={clock} /> },
    column(
      'Action',
      'actions',
      ({ name }) =>
        name !== DEFAULT_WORLD && (
          <ActionButton
            call={`DELETE /worlds/${encodeURIComponent(name)}`}
            done={`Deleted world ${name}`}
            confirm={`Delete world ${name} and everything in it?`}
            about={name}
            then={name === currentName ? urlInWorld(DEFAULT_WORLD, '/dashboard/worlds') : undefined}
          >
            Delete
          </ActionButton>
        ),
    ),
  ];
}

function snapshotColumns(page: PageContext): Column<ControlSnapshot>[] {
  return [
    column('Snapshot', 'main', ({ name, problem }) => (
      <>
        <Mono>{name}</Mono>
        {problem !== null && (
          <span class="sub">
            <Text>{problem}</Text>
          </span>
        )}
      </>
    )),
    ...columnsFrom(snapshotResource, 'created_at', 'clock', 'size_bytes'),
    column('Action', 'actions', ({ name }) => (
      <>
        <ActionButton
          call={`POST /snapshots/${encodeURIComponent(name)}/restore`}
          done={`Restored snapshot ${name}`}
          confirm={`Restore world ${page.world.name} to snapshot ${name}? Everything since is lost.`}
          about={name}
        >
          Restore
        </ActionButton>
        <ActionButton
          call={`DELETE /snapshots/${encodeURIComponent(name)}`}
          done={`Deleted snapshot ${name}`}
          confirm={`Delete snapshot ${name}?`}
          about={name}
        >
          Delete
        </ActionButton>
      </>
    )),
  ];
}

import { callControl } from '../../control/call-control.ts';
import { snapshotEndpoints } from '../../control/snapshots.ts';
import { worldEndpoints } from '../../control/worlds.ts';
import { ActionButton, ActionForm } from '../../ui/form.tsx';
import { EmptyState, PageHeader, Section } from '../../ui/layout.tsx';
import { type Column, columnsFrom, Table } from '../../ui/table.tsx';
import { Badge, Mono, Text } from '../../ui/text.tsx';
import {
  type ControlSnapshot,
  type ControlWorld,
  snapshot as snapshotResource,
  world as worldResource,
} from '../../world/resources.ts';
import { urlInWorld } from '../../world/urls.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { Clock } from '../components.tsx';
import { ListPager } from '../list-page.tsx';
import { commandFor, type Page, type PageContext } from '../page.ts';
import { EndpointForm, SchemaFields } from '../schema-fields.tsx';

/** The worlds of this server, and the snapshots of this world. */
export async function worldsPage(page: PageContext): Promise<Page> {
  const { worlds } = await callControl(worldEndpoints.getWorlds, page);
  const { cursor } = page.query;
  const snapshots = await callControl(snapshotEndpoints.getSnapshots, page, {
    query: { limit: '50', ...(cursor && { cursor }) },
  });
  return {
    title: 'Worlds',
    live: ['snapshots'],
    content: (
      <>
        <PageHeader title="Worlds" actions={<WorldActions page={page} />}>
          Isolated marketplaces on one port. A key enters the world it was minted in.
        </PageHeader>
        <CreateForm page={page} />
        <Section title="Worlds" id="worlds">
          <Table
            caption="Worlds"
            columns={worldColumns(page)}
            rows={worlds}
            keyOf={({ name }) => name}
          />
        </Section>
        <Section title={`Snapshots of ${page.world.name}`} id="snapshots">
          <SaveForm page={page} />
          {snapshots.snapshots.length === 0 ? (
            <EmptyState
              title="No snapshots of this world."
              commands={[commandFor(page, 'snapshots save paid')]}
            >
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
          <ListPager page={page} next={snapshots.next_cursor} />
        </Section>
      </>
    ),
  };
}

function WorldActions({ page }: { page: PageContext }) {
  const { name } = page.world;
  return (
    <>
      <ActionButton
        page={page}
        call="POST /rate-limits/reset"
        done={`Reset rate limits of ${name}`}
      >
        Reset rate limits
      </ActionButton>
      <ActionButton
        page={page}
        call="POST /reset"
        done={`Reset world ${name}`}
        confirm={`Reset world ${name} to its seed? Credentials stay; orders, events and everything else are deleted.`}
      >
        Reset this world
      </ActionButton>
    </>
  );
}

function CreateForm({ page }: { page: PageContext }) {
  return (
    <EndpointForm
      page={page}
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

function SaveForm({ page }: { page: PageContext }) {
  return (
    <ActionForm
      page={page}
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
  const here = page.world.name;
  return [
    {
      heading: 'World',
      kind: 'main',
      cell: ({ name }) => (
        <>
          <a href={urlInWorld(name, '/dashboard/worlds')} data-row>
            <Mono>{name}</Mono>
          </a>{' '}
          {name === here && <Badge tone="success">current</Badge>}
        </>
      ),
    },
    ...columnsFrom(worldResource, 'seed'),
    { heading: 'Clock', cell: ({ clock }) => <Clock clock={clock} /> },
    {
      heading: 'Action',
      kind: 'actions',
      cell: ({ name }) =>
        name !== DEFAULT_WORLD && (
          <ActionButton
            page={page}
            call={`DELETE /worlds/${encodeURIComponent(name)}`}
            done={`Deleted world ${name}`}
            confirm={`Delete world ${name} and everything in it?`}
            about={name}
            then={name === here ? urlInWorld(DEFAULT_WORLD, '/dashboard/worlds') : undefined}
          >
            Delete
          </ActionButton>
        ),
    },
  ];
}

function snapshotColumns(page: PageContext): Column<ControlSnapshot>[] {
  return [
    {
      heading: 'Snapshot',
      kind: 'main',
      cell: ({ name, problem }) => (
        <>
          <Mono>{name}</Mono>
          {problem !== null && (
            <span class="sub">
              <Text>{problem}</Text>
            </span>
          )}
        </>
      ),
    },
    ...columnsFrom(snapshotResource, 'created_at', 'clock', 'size_bytes'),
    {
      heading: 'Action',
      kind: 'actions',
      cell: ({ name }) => (
        <>
          <ActionButton
            page={page}
            call={`POST /snapshots/${encodeURIComponent(name)}/restore`}
            done={`Restored snapshot ${name}`}
            confirm={`Restore world ${page.world.name} to snapshot ${name}? Everything since is lost.`}
            about={name}
          >
            Restore
          </ActionButton>
          <ActionButton
            page={page}
            call={`DELETE /snapshots/${encodeURIComponent(name)}`}
            done={`Deleted snapshot ${name}`}
            confirm={`Delete snapshot ${name}?`}
            about={name}
          >
            Delete
          </ActionButton>
        </>
      ),
    },
  ];
}

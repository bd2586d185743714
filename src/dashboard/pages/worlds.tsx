import { ask } from '../../control/call-control.ts';
import { getWorlds } from '../../control/worlds.ts';
import type { ControlWorld } from '../../world/resources.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { Act, ActForm } from '../parts/act.tsx';
import { Badge } from '../parts/badge.tsx';
import { Field } from '../parts/field.tsx';
import { Fold, Head, Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Mono, Text } from '../parts/text.tsx';
import { Clock } from '../parts/when.tsx';
import { inWorld, type Place, segment } from '../place.ts';
import type { View } from '../reply.tsx';
import { SnapshotSection } from './snapshots.tsx';

/** The worlds of this server, and the snapshots of the one we are in. */
export async function worldsPage(at: Place): Promise<View> {
  const { worlds } = await ask<{ worlds: ControlWorld[] }>(getWorlds, at);
  const here = at.world.name;
  return {
    title: 'Worlds',
    live: ['snapshots'],
    content: (
      <>
        <Head
          title="Worlds"
          acts={
            <>
              <Act
                at={at}
                call="POST /rate-limits/reset"
                done={`The rate limits of ${here} are forgotten`}
              >
                Reset rate limits
              </Act>
              <Act
                at={at}
                call="POST /reset"
                done={`The world ${here} is back at its seed`}
                confirm={`Reset the world ${here} to its seed? Credentials stay; orders, events and everything else go.`}
              >
                Reset this world
              </Act>
            </>
          }
        >
          Isolated marketplaces on one port. A key enters the world it was minted in.
        </Head>
        <Fold title="Create a world" id="create">
          <ActForm
            at={at}
            call="POST /worlds"
            done="The world stands"
            class="form"
            label="Create a world"
          >
            <Field label="Name" name="name" id="world-name" required placeholder="w1" />
            <Field
              label="As a fork of"
              name="fork"
              id="world-fork"
              hint="A world, or a snapshot of this one. Empty for a fresh one."
            />
            <Field
              label="Seed"
              name="seed"
              id="world-seed"
              hint="Of a fresh one: decides inventory and ids."
            />
            <p class="row">
              <button type="submit">Create</button>
            </p>
          </ActForm>
        </Fold>
        <Section title="Worlds" id="worlds">
          <Table
            caption="Worlds"
            columns={columnsFor(at)}
            rows={worlds}
            keyOf={({ name }) => name}
          />
        </Section>
        <SnapshotSection at={at} />
      </>
    ),
  };
}

function columnsFor(at: Place): Column<ControlWorld>[] {
  const here = at.world.name;
  return [
    {
      heading: 'World',
      kind: 'main',
      cell: ({ name }) => (
        <>
          <a href={inWorld(name, '/dashboard/worlds')} data-row>
            <Mono>{name}</Mono>
          </a>{' '}
          {name === here && <Badge tone="good">here</Badge>}
        </>
      ),
    },
    { heading: 'Seed', cell: ({ seed }) => <Text>{seed}</Text> },
    { heading: 'Clock', cell: ({ clock }) => <Clock reading={clock} /> },
    {
      heading: 'Change',
      kind: 'acts',
      cell: ({ name }) =>
        name !== DEFAULT_WORLD && (
          <Act
            at={at}
            call={`DELETE /worlds/${segment(name)}`}
            done={`The world ${name} is gone`}
            confirm={`Delete the world ${name} with all that is in it?`}
            about={name}
            then={name === here ? inWorld(DEFAULT_WORLD, '/dashboard/worlds') : undefined}
          >
            Delete
          </Act>
        ),
    },
  ];
}

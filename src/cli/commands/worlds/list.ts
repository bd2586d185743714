import { defineCommand } from '../../command.ts';
import type { Page, WorldShape } from '../../shapes.ts';
import { shortTime } from '../../times.ts';

export const listWorlds = defineCommand({
  path: 'worlds list',
  summary: 'The worlds of this server.',
  examples: ['sandlot worlds list'],
  async run({ control, out }) {
    const document = await control().get<Page & { worlds: WorldShape[] }>('/worlds');
    out.result(document, ({ worlds }, { table }) =>
      table(
        [
          { heading: 'WORLD', cell: (world) => world.name, whole: true },
          { heading: 'SEED', cell: (world) => world.seed },
          {
            heading: 'CLOCK',
            cell: ({ clock }) => shortTime(clock.now) + (clock.frozen ? ', frozen' : ''),
          },
          { heading: 'CREATED', cell: (world) => shortTime(world.created_at) },
        ],
        worlds,
      ),
    );
  },
});

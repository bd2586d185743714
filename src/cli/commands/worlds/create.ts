import type { ControlWorld } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { sameIds } from './same-ids.ts';
import { showWorld } from './show-world.ts';

export const createWorld = defineCommand({
  path: 'worlds create',
  summary: "Create a world: fresh, or a copy of another's marketplace or of a snapshot.",
  details:
    'Requests enter a world with a key that was minted in it. Where a world and a snapshot have the name that --fork gives, the world is copied.',
  args: { name: argument('name of the new world') },
  options: {
    fork: option(
      '--fork <name>',
      'copy this world, or this snapshot of the world that --world names',
    ),
    seed: option('--seed <text>', "decides inventory and ids (default: the server's)"),
    sameIds: sameIds('repeat the ids of the last world of this name'),
  },
  examples: [
    'sandlot worlds create w1',
    'sandlot worlds create w2 --fork default',
    'sandlot worlds create w3 --fork before-sale',
  ],
  async run({ control, args, options, out }) {
    const { sameIds: same_ids, ...from } = options;
    const body = { name: args.name, ...from, same_ids };
    out.result(await control().post<ControlWorld>('/worlds', body), showWorld);
    out.note(`mint a key for it: sandlot credentials create --world ${args.name}`);
  },
});

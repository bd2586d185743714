import type { ControlWorld } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { showWorld as show } from './show-world.ts';

export const showWorld = defineCommand({
  path: 'worlds show',
  summary: 'One world.',
  args: { name: argument('name of the world') },
  examples: ['sandlot worlds show default'],
  async run({ control, args, out }) {
    out.result(await control().get<ControlWorld>(`/worlds/${encodeURIComponent(args.name)}`), show);
  },
});

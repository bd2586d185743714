import type { ControlWorld } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';

export const deleteWorld = defineCommand({
  path: 'worlds delete',
  summary: 'Remove a world and all that is in it.',
  args: { name: argument('name of the world') },
  examples: ['sandlot worlds delete w1'],
  async run({ control, args, out }) {
    const path = `/worlds/${encodeURIComponent(args.name)}`;
    out.result(await control().delete<ControlWorld>(path), ({ name }) => `world ${name} is gone`);
  },
});

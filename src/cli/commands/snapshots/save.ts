import type { ControlSnapshot } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument, flag } from '../../declare.ts';
import { showSnapshot } from './show-snapshot.ts';

export const saveSnapshot = defineCommand({
  path: 'snapshots save',
  summary: 'Keep a world as it is now, under a name.',
  args: { name: argument('name of the snapshot') },
  options: { replace: flag('--replace', 'put it in the place of one of that name') },
  examples: [
    'sandlot snapshots save before-sale',
    'sandlot snapshots save before-sale --replace --world default',
  ],
  async run({ control, args, options, out }) {
    const body = { name: args.name, replace: options.replace };
    out.result(await control().post<ControlSnapshot>('/snapshots', body), showSnapshot);
  },
});

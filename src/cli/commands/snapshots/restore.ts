import type { ControlWorld } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { sameIds } from '../worlds/same-ids.ts';

export const restoreSnapshot = defineCommand({
  path: 'snapshots restore',
  summary: 'Put a world back to a snapshot, clock and all. Credentials stay as they are now.',
  details: 'What is created after the restore has new ids.',
  args: { name: argument('name of the snapshot') },
  options: { sameIds: sameIds('repeat the ids that followed the snapshot') },
  examples: ['sandlot snapshots restore before-sale'],
  async run({ control, args, options, out }) {
    const path = `/snapshots/${encodeURIComponent(args.name)}/restore`;
    out.result(
      await control().post<ControlWorld>(path, { same_ids: options.sameIds }),
      ({ name, clock }) => `world ${name} is back at snapshot ${args.name}, at ${clock.now}`,
    );
  },
});

import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import type { WorldShape } from '../../shapes.ts';

export const restoreSnapshot = defineCommand({
  path: 'snapshots restore',
  summary: 'Put a world back to a snapshot, clock and all. Credentials stay as they are now.',
  args: { name: argument('name of the snapshot') },
  examples: ['sandlot snapshots restore before-sale'],
  async run({ control, args, out }) {
    const path = `/snapshots/${encodeURIComponent(args.name)}/restore`;
    out.result(
      await control().post<WorldShape>(path),
      ({ name, clock }) => `world ${name} is back at snapshot ${args.name}, at ${clock.now}`,
    );
  },
});

import type { ControlSnapshot } from '../../../world/resources.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';

export const deleteSnapshot = defineCommand({
  path: 'snapshots delete',
  summary: 'Remove a snapshot.',
  args: { name: argument('name of the snapshot') },
  examples: ['sandlot snapshots delete before-sale'],
  async run({ control, args, out }) {
    const path = `/snapshots/${encodeURIComponent(args.name)}`;
    out.result(
      await control().delete<ControlSnapshot>(path),
      ({ name, world }) => `snapshot ${name} of world ${world} is gone`,
    );
  },
});

import { action, type CommandModule, list, show } from '../command.ts';
import { argument } from '../options.ts';

const snapshot = async () => (await import('../../world/resources.ts')).snapshot;

export const snapshots: CommandModule = {
  group: 'Worlds',
  nouns: { snapshots: 'Save the state of a world, and restore it.' },
  commands: [
    show('snapshots save', 'POST /snapshots', {
      resource: snapshot,
      args: { name: argument('<name>', 'Name of the snapshot') },
      examples: [
        'sandlot snapshots save before-sale',
        'sandlot snapshots save before-sale --replace --world default',
      ],
    }),
    list('snapshots list', 'GET /snapshots', {
      resource: snapshot,
      examples: ['sandlot snapshots list', 'sandlot snapshots list --limit 5 --json'],
    }),
    action('snapshots restore', 'POST /snapshots/{name}/restore', {
      details: 'Objects created after the restore get new IDs.',
      examples: ['sandlot snapshots restore before-sale'],
      format: ({ name, clock }, _, { args }) =>
        `Restored world ${name} from snapshot ${args.name} (clock ${clock.now})`,
    }),
    action('snapshots delete', 'DELETE /snapshots/{name}', {
      examples: ['sandlot snapshots delete before-sale'],
      format: ({ name, world }) => `Deleted snapshot ${name} of world ${world}`,
    }),
  ],
};

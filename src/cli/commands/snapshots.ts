import type { ControlSnapshot, ControlWorld } from '../../world/resources.ts';
import { action, type CommandModule, list, show } from '../command.ts';
import { argument, flag } from '../options.ts';

const ARGS = { name: argument('<name>', 'Name of the snapshot').naming('snapshot') };

const snapshot = async () => (await import('../../world/resources.ts')).snapshot;

export const snapshots: CommandModule = {
  group: 'Worlds',
  nouns: { snapshots: 'Save the state of a world, and restore it.' },
  commands: [
    show('snapshots save', 'POST /snapshots', {
      summary: 'Save the state of a world under a name.',
      resource: snapshot,
      args: { name: argument('<name>', 'Name of the snapshot') },
      options: { replace: flag('--replace', 'Overwrite an existing snapshot') },
      input: ({ args, options }) => ({ ...args, ...options }),
      examples: [
        'sandlot snapshots save before-sale',
        'sandlot snapshots save before-sale --replace --world default',
      ],
    }),
    list('snapshots list', 'GET /snapshots', {
      summary: 'List the snapshots of a world, by name.',
      resource: snapshot,
      examples: ['sandlot snapshots list', 'sandlot snapshots list --limit 5 --json'],
    }),
    action('snapshots restore', 'POST /snapshots/:name/restore', {
      summary: 'Restore a world and its clock from a snapshot. Its credentials stay as they are.',
      details: 'Objects created after the restore get new IDs.',
      args: ARGS,
      options: {
        same_ids: flag('--same-ids', 'Repeat the IDs that followed the snapshot'),
      },
      examples: ['sandlot snapshots restore before-sale'],
      format: ({ name, clock }: ControlWorld, _, { args }) =>
        `Restored world ${name} from snapshot ${args.name} (clock ${clock.now})`,
    }),
    action('snapshots delete', 'DELETE /snapshots/:name', {
      summary: 'Delete a snapshot.',
      args: ARGS,
      examples: ['sandlot snapshots delete before-sale'],
      format: ({ name, world }: ControlSnapshot) => `Deleted snapshot ${name} of world ${world}`,
    }),
  ],
};

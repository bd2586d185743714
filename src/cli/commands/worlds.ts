import { buffer } from 'node:stream/consumers';
import type { ControlWorld } from '../../world/resources.ts';
import { action, type CommandModule, command, list } from '../command.ts';
import { pathOf } from '../endpoints.ts';
import { argument, text } from '../options.ts';
import { openSource } from '../read-data.ts';
import { requireWritable, writeAtomically } from '../write-file.ts';

const loadWorld = async () => (await import('../../world/resources.ts')).world;

const exportWorld = command('worlds export', {
  summary: 'Export a world to a file while it is in use.',
  details:
    'The file has everything in the world as of now, except its snapshots and its request log. It contains the secrets of credentials and webhooks, so it is created readable by its owner only (0600). Keep it private.',
  args: {
    name: argument('<name>', 'Name of the world'),
    file: argument('<file>', 'File to write'),
  },
  examples: ['sandlot worlds export w1 w1.db'],
  async run({ control, io, out, args: { name, file } }) {
    const target = requireWritable(io, '<file>', file);
    const path = pathOf('GET /worlds/{name}/export', { name });
    const bytes = await buffer(await control().download(path, {}, 'application/vnd.sqlite3'));
    await writeAtomically(target, bytes, 0o600);
    out.result(
      { world: name, file, bytes: bytes.length },
      (result) => `Wrote ${result.bytes} bytes to ${file}. The file contains secrets.`,
    );
  },
});

const importWorld = command('worlds import', {
  summary: 'Import a world from an exported file, all or nothing.',
  details:
    'The world keeps its credentials and IDs. Its clock and pending deliveries go on as after a restart. The file is verified first. It is rejected if the sandbox has a world of the same name or one of its key IDs. Another name changes the checkout, referral and progress links of the world.',
  args: { file: argument('<file>', 'File of the world, or - for stdin') },
  options: { name: text('--name <name>', 'Name of the new world (default: the exported name)') },
  examples: ['sandlot worlds import w1.db', 'sandlot worlds import w1.db --name w2'],
  async run({ control, io, args: { file }, options, out }) {
    const body = ReadableStream.from(openSource(io, file).chunks);
    const world = await control().upload<ControlWorld>('/worlds/import', options, body);
    out.result(world, ({ name }) => `Imported world ${name}`);
  },
});

export const worlds: CommandModule = {
  group: 'Worlds',
  nouns: { worlds: 'Create, list and delete isolated marketplaces.' },
  commands: [
    list('worlds list', 'GET /worlds', { resource: loadWorld }),
    action('worlds create', 'POST /worlds', {
      details:
        'A request goes to the world of its key, so create a credential in the new world. If a world and a snapshot have the name passed to --fork, the world is forked.',
      resource: loadWorld,
      args: { name: argument('<name>', 'Name of the new world') },
      options: {
        fork: text('--fork <name>', 'World, or snapshot of the world given by --world, to fork'),
      },
      examples: [
        'sandlot worlds create w1',
        'sandlot worlds create w2 --fork default',
        'sandlot worlds create w3 --fork before-sale',
      ],
      next: ({ name }, call) => `Create a key for it: ${call.suggest('credentials create', name)}`,
    }),
    action('worlds delete', 'DELETE /worlds/{name}', {
      discardsState: () => true,
      examples: ['sandlot worlds delete w1'],
      format: ({ name }) => `Deleted world ${name}`,
    }),
    exportWorld,
    importWorld,
  ],
};

export const resets: CommandModule = {
  group: 'Worlds',
  nouns: { 'rate-limits': 'Reset the rate limit counters.' },
  commands: [
    action('reset', 'POST /reset', {
      discardsState: () => true,
      details:
        'No ID is used twice: objects created after the reset get new IDs, so that a receiver that remembers event IDs does not drop new events.',
      examples: ['sandlot reset', 'sandlot reset --world default'],
      format: ({ name, seed }) => `Reset world ${name} (seed ${seed})`,
    }),
    action('rate-limits reset', 'POST /rate-limits/reset', {
      format: () => 'Reset the rate limit counters',
    }),
  ],
};

const loadSnapshot = async () => (await import('../../world/resources.ts')).snapshot;

export const snapshots: CommandModule = {
  group: 'Worlds',
  nouns: { snapshots: 'Save the state of a world, and restore it.' },
  commands: [
    action('snapshots save', 'POST /snapshots', {
      resource: loadSnapshot,
      args: { name: argument('<name>', 'Name of the snapshot') },
      examples: [
        'sandlot snapshots save before-sale',
        'sandlot snapshots save before-sale --replace --world default',
      ],
    }),
    list('snapshots list', 'GET /snapshots', {
      resource: loadSnapshot,
      examples: ['sandlot snapshots list', 'sandlot snapshots list --limit 5 --json'],
    }),
    action('snapshots restore', 'POST /snapshots/{name}/restore', {
      discardsState: () => true,
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

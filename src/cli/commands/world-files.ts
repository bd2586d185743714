import fs from 'node:fs';
import path from 'node:path';
import type { ControlWorld } from '../../world/resources.ts';
import { command } from '../command.ts';
import { argument, text } from '../options.ts';
import { openFile } from '../read-data.ts';
import { writeAtomically } from '../write-file.ts';

export const exportWorld = command('worlds export', {
  summary: 'Export a world to a file while it is in use.',
  details:
    'The file has everything in the world as of now, except its snapshots and its request log. It contains the secrets of credentials and webhooks, so it is created readable by its owner only (0600). Keep it private.',
  args: {
    name: argument('<name>', 'Name of the world'),
    file: argument('<file>', 'File to write'),
  },
  examples: ['sandlot worlds export w1 w1.db'],
  async run({ control, io, args: { name, file }, out }) {
    const exported = await control().download(`/worlds/${encodeURIComponent(name)}/export`);
    const bytes = await writeAtomically(path.resolve(io.cwd, file), exported, 'owner');
    out.result(
      { world: name, file, bytes },
      () => `Wrote ${bytes} bytes to ${file}. The file contains secrets.`,
    );
  },
});

export const importWorld = command('worlds import', {
  summary: 'Import a world from an exported file, all or nothing.',
  details:
    'The world keeps its credentials and IDs. Its clock and pending deliveries go on as after a restart. The file is verified first. It is rejected if the sandbox has a world of the same name or one of its key IDs. Another name changes the checkout, referral and progress links of the world.',
  args: { file: argument('<file>', 'File of the world') },
  options: { name: text('--name <name>', 'Name of the new world (default: the exported name)') },
  examples: ['sandlot worlds import w1.db', 'sandlot worlds import w1.db --name w2'],
  async run({ control, io, args: { file }, options, out }) {
    const chunks = fs.createReadStream('', { fd: openFile(io, 'file', file) });
    const body = ReadableStream.from(chunks as AsyncIterable<Uint8Array>);
    const world = await control().upload<ControlWorld>('/worlds/import', options, body);
    out.result(world, ({ name }) => `Imported world ${name}`);
  },
});

import fs from 'node:fs';
import path from 'node:path';
import { formatOfName } from '../../../market/inventory/import/rows.ts';
import { defineCommand } from '../../command.ts';
import { optionalArgument } from '../../declare.ts';
import { CheckFailedError } from '../../failures.ts';
import { ENVIRONMENT_OPTION, FORMAT_OPTION } from './options.ts';

export const exportInventory = defineCommand({
  path: 'inventory export',
  summary: 'Write the inventory as CSV or JSON Lines, as an import takes it.',
  details: 'To stdout when no file is named. --json means --format ndjson where nothing else does.',
  args: { file: optionalArgument('file to write') },
  options: { ...FORMAT_OPTION, ...ENVIRONMENT_OPTION },
  examples: [
    'sandlot inventory export',
    'sandlot inventory export names.ndjson',
    'sandlot inventory export --format ndjson --env SANDBOX',
  ],
  async run({ control, io, args: { file }, options: { environment, ...options }, out }) {
    const byDefault = out.json && file === undefined ? 'ndjson' : 'csv';
    const format = options.format ?? formatOfName(file ?? '') ?? byDefault;
    const answer = await control().download('/inventory/export', { format, environment });
    if (file === undefined) {
      const texts = answer.pipeThrough(new TextDecoderStream());
      for await (const text of texts) await out.stream(text);
      return;
    }
    const bytes = await writeWhole(path.resolve(io.cwd, file), answer);
    out.result({ file, format, bytes }, () => `wrote ${file}, ${bytes} bytes`);
  },
});

/** Writes beside the file and puts it in its place at the end: a half never looks like a whole. */
async function writeWhole(file: string, answer: ReadableStream<Uint8Array>): Promise<number> {
  const part = `${file}.part`;
  let bytes = 0;
  try {
    const handle = await fs.promises.open(part, 'w');
    try {
      for await (const chunk of answer) {
        await handle.writeFile(chunk);
        bytes += chunk.length;
      }
    } finally {
      await handle.close();
    }
    await fs.promises.rename(part, file);
    return bytes;
  } catch (error) {
    await fs.promises.rm(part, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckFailedError(`${file} was not written: ${why}`);
  }
}

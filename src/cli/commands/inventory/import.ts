import fs from 'node:fs';
import path from 'node:path';
import type { Imported } from '../../../control/import.ts';
import { formatOfName, IMPORT_MODES } from '../../../market/inventory/import/rows.ts';
import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { UsageError } from '../../failures.ts';
import { ProgressBar } from '../../progress.ts';
import { openFile } from '../../read-data.ts';
import { oneOf } from '../../values.ts';
import { ENVIRONMENT_OPTION, FORMAT_OPTION } from './options.ts';

export const importInventory = defineCommand({
  path: 'inventory import',
  summary: 'Import CSV or JSON Lines of any size, whole or not at all.',
  details:
    'Columns: domain and price_cents, and if you like floor_price_cents, currency (USD), category, keywords (separated by ; in CSV), description and status. A bad line is named with its number, and nothing is imported. --mode add refuses what exists, upsert changes it, replace removes what the file does not have, the magic domains too.',
  args: { file: argument('file, or - for standard input') },
  options: {
    mode: option('--mode <mode>', `${IMPORT_MODES.join(', ')} (default: add)`, oneOf(IMPORT_MODES)),
    ...FORMAT_OPTION,
    ...ENVIRONMENT_OPTION,
  },
  examples: [
    'sandlot inventory import names.csv',
    'sandlot inventory import names.ndjson --env LIVE --mode replace',
    'sandlot inventory export | sandlot inventory import - --format csv --env LIVE',
  ],
  async run({ control, io, args: { file }, options, out }) {
    const format = options.format ?? formatOfName(file);
    if (format === undefined) {
      throw new UsageError(
        `${file}: its name does not tell its format; say --format csv or --format ndjson`,
      );
    }
    const { chunks, size } = source(io, file);
    const bar = new ProgressBar(io, file === '-' ? 'standard input' : path.basename(file), size);
    const body = ReadableStream.from(bar.over(chunks));
    try {
      const document = await control().upload<Imported>(
        '/inventory/import',
        { ...options, format },
        body,
      );
      bar.end();
      out.result(
        document,
        ({ environment, added, updated, removed }) =>
          `${environment}: ${added} added, ${updated} updated, ${removed} removed`,
      );
    } finally {
      bar.end();
    }
  },
});

function source(
  io: Parameters<typeof openFile>[0],
  file: string,
): { chunks: AsyncIterable<Uint8Array>; size?: number } {
  if (file === '-') return { chunks: io.stdinChunks() };
  const handle = openFile(io, 'file', file);
  return {
    chunks: fs.createReadStream('', { fd: handle }),
    size: fs.fstatSync(handle).size,
  };
}

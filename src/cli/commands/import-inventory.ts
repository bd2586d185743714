import path from 'node:path';
import type { Imported } from '../../control/import.ts';
import { formatOfName, INVENTORY_FORMATS } from '../../market/inventory/inventory-file.ts';
import { IMPORT_MODES } from '../../store/schema/enums.ts';
import { command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { argument, choice, ENVIRONMENT } from '../options.ts';
import { withProgress } from '../progress.ts';
import { openSource } from '../read-data.ts';

export const importInventory = command('inventory import', {
  summary: 'Import domains from a CSV or JSON Lines file, all or nothing.',
  details:
    'Columns: domain and price_cents; optional: floor_price_cents, currency (USD), category, keywords (separated by ; in CSV), description and status. An invalid line is reported with its number, and nothing is imported. --mode add rejects existing domains; replace makes the file the whole inventory, without the magic domains unless the file has them.',
  args: { file: argument('<file>', 'File, or - for stdin') },
  discardsState: ({ mode }) => mode === 'replace',
  options: {
    mode: choice('--mode <mode>', `${IMPORT_MODES.join(', ')} (default: add)`, IMPORT_MODES),
    format: choice(
      '--format <format>',
      `${INVENTORY_FORMATS.join(' or ')} (default: by the file name)`,
      INVENTORY_FORMATS,
    ),
    environment: ENVIRONMENT,
  },
  examples: [
    'sandlot inventory import names.csv',
    'sandlot inventory import names.ndjson --env LIVE --mode replace',
  ],
  async run({ control, io, args: { file }, options, out }) {
    const format = options.format ?? formatOfName(file);
    if (format === undefined) {
      throw new UsageError('--format: missing; pass csv or ndjson (the file name says neither)');
    }
    const { chunks, size } = openSource(io, file);
    const title = file === '-' ? 'standard input' : path.basename(file);
    const body = ReadableStream.from(withProgress(io, title, chunks, size));
    const query = { ...options, format };
    const result = await control().upload<Imported>('/inventory/import', query, body);
    out.result(
      result,
      ({ environment, added, removed }) => `${environment}: ${added} added, ${removed} removed`,
    );
  },
});

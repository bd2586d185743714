import path from 'node:path';
import type { Imported } from '../../control/import-export.ts';
import { formatOfName, INVENTORY_FORMATS } from '../../market/inventory/inventory-file.ts';
import { IMPORT_MODES } from '../../store/schema/enums.ts';
import { command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { argument, choice, ENVIRONMENT } from '../options.ts';
import { ProgressBar } from '../progress.ts';
import { openSource } from '../read-data.ts';
import { requireWritable, STDOUT, writeAtomically } from '../write-file.ts';

const OPTIONS = {
  format: choice(
    '--format <format>',
    `${INVENTORY_FORMATS.join(' or ')} (default: by the file name)`,
    INVENTORY_FORMATS,
  ),
  environment: ENVIRONMENT,
};

export const importInventory = command('inventory import', {
  summary: 'Import domains from a CSV or JSON Lines file, all or nothing.',
  details:
    'Columns: domain and price_cents; optional: floor_price_cents, currency (USD), category, keywords (separated by ; in CSV), description and status. An invalid line is reported with its number, and nothing is imported. --mode add rejects existing domains; replace makes the file the whole inventory, without the magic domains unless the file has them.',
  args: { file: argument('<file>', 'File, or - for stdin') },
  discards: ({ mode }) => mode === 'replace',
  options: {
    mode: choice('--mode <mode>', `${IMPORT_MODES.join(', ')} (default: add)`, IMPORT_MODES),
    ...OPTIONS,
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
        '--format: missing; the file name has no .csv or .ndjson extension, so pass csv or ndjson',
      );
    }
    const { chunks, size } = openSource(io, file);
    const bar = new ProgressBar(io, file === '-' ? 'standard input' : path.basename(file), size);
    const body = ReadableStream.from(bar.track(chunks));
    const query = { ...options, format };
    const result = await control()
      .upload<Imported>('/inventory/import', query, body)
      .finally(() => bar.end());
    out.result(
      result,
      ({ environment, added, removed }) => `${environment}: ${added} added, ${removed} removed`,
    );
  },
});

export const exportInventory = command('inventory export', {
  summary: 'Export the inventory as CSV or JSON Lines, in the format that an import reads.',
  details: 'Prints to stdout without a file, or for -. --json selects --format ndjson.',
  args: { file: argument<string | undefined>('[file]', 'File to write') },
  options: OPTIONS,
  examples: [
    'sandlot inventory export',
    'sandlot inventory export names.ndjson',
    'sandlot inventory export --format ndjson --env SANDBOX',
  ],
  async run({ control, io, args, options: { environment, ...options }, out }) {
    const file = args.file === STDOUT ? undefined : args.file;
    const defaultFormat = out.json && file === undefined ? 'ndjson' : 'csv';
    const format = options.format ?? formatOfName(file ?? '') ?? defaultFormat;
    const target = file === undefined ? undefined : requireWritable(io, '<file>', file);
    const content = await control().download('/inventory/export', { format, environment });
    if (target === undefined) {
      const texts = content.pipeThrough(new TextDecoderStream());
      for await (const text of texts) await out.stream(text);
      return;
    }
    const bytes = await writeAtomically(target, content);
    out.result({ file, format, bytes }, () => `Wrote ${bytes} bytes to ${file}`);
  },
});

import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../../cli/errors.ts';
import type { CommandLineIo } from '../../cli/io.ts';
import { readFileOf } from '../../cli/read-data.ts';
import { requireWritable, writeAtomically } from '../../cli/write-file.ts';
import { parseJsonFile } from '../../config/json-file.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { withoutBom } from '../../kernel/json.ts';
import { ITEMS } from './items.ts';
import { gateResult, type Report } from './report.ts';

const ids = ITEMS.map(({ id }) => id);
const item = z.enum(ids, {
  error: ({ input }) =>
    `unknown item "${input}".${didYouMean(String(input), ids)} \`golive --all\` lists them`,
});
const NO_REASON = 'missing; say why the contradiction is accepted';

/** A gate file: the items that a pipeline requires. */
export const gateSchema = z.strictObject({
  $schema: z.string().optional(),
  require: z.array(item, 'must be a list of items'),
  accept: z.partialRecord(item, z.string(NO_REASON).trim().min(1, NO_REASON)).default({}),
});
type Gate = z.output<typeof gateSchema>;

/**
 * Reads the gate, and checks the HTML file before the report is made.
 * @param htmlOption names the HTML file
 * @returns a function that applies the gate to a report, and writes the file
 * @throws UsageError with file, line, field and reason
 */
export function prepareOutput(
  io: CommandLineIo,
  gateFile: string | undefined,
  htmlOption: string,
  htmlFile: string | undefined,
): (report: Report) => Promise<Report> {
  const gate = gateFile && readGate(io, gateFile);
  const target = htmlFile && requireWritable(io, htmlOption, htmlFile);
  if (target && gateFile && path.resolve(io.cwd, gateFile) === target) {
    throw new UsageError(`${htmlOption}: ${htmlFile} is the gate file; pass another name`);
  }
  return async (ungated) => {
    const report = gateFile && gate ? applyGate(ungated, gateFile, gate) : ungated;
    if (target) {
      const { renderHtml } = await import('./html.tsx');
      await writeAtomically(target, await renderHtml(report));
    }
    return report;
  };
}

function readGate(io: CommandLineIo, file: string): Gate {
  const text = withoutBom(readFileOf('--gate', io, file).toString());
  const fieldsAndItems = [...Object.keys(gateSchema.shape), ...ids];
  const unknownField = (field: string) => `unknown field.${didYouMean(field, fieldsAndItems)}`;
  return parseJsonFile({ name: `--gate: ${file}`, text, schema: gateSchema, unknownField });
}

/** Applies a gate file to a report without one. */
export function applyGate(report: Report, file: string, { require, accept }: Gate): Report {
  const items = report.items.map((entry) => {
    const required = require.includes(entry.id);
    // Requiring an item makes it apply.
    const status =
      required && entry.status === 'not_applicable' ? ('unmet' as const) : entry.status;
    const accepted = status === 'contradicted' ? (accept[entry.id] ?? null) : null;
    return { ...entry, status, required, accepted };
  });
  return { ...report, gate: gateResult(file, items), items };
}

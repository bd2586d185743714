import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { CommandLineIo } from '../../cli/io.ts';
import { cannotRead } from '../../cli/read-data.ts';
import { requireWritable, writeAtomically } from '../../cli/write-file.ts';
import { parseJsonFile } from '../../config/json-file.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { withoutBom } from '../../kernel/json.ts';
import { ITEMS } from './items.ts';
import { gateResult, type Report } from './report.ts';

const ids = ITEMS.map(({ id }) => id);
const item = () =>
  z.enum(ids, {
    error: ({ input }) => `unknown item "${input}".${didYouMean(String(input), ids)}`,
  });
const NO_REASON = 'missing; say why the contradiction is accepted';

/** A gate file: the items that a pipeline requires. */
export const gateSchema = z.strictObject({
  $schema: z.string().optional(),
  require: z.array(item(), 'must be a list of items'),
  accept: z.partialRecord(item(), z.string(NO_REASON).trim().min(1, NO_REASON)).default({}),
});
export type Gate = z.output<typeof gateSchema>;

interface Files {
  gate: string | undefined;
  /** The option that names the HTML file, and its value. */
  html: readonly [option: string, file: string | undefined];
}

/**
 * Reads the gate, and checks the HTML file before the report is made.
 * @returns a function that applies the gate to a report, and writes the file
 * @throws UsageError
 */
export function prepareReport(
  io: CommandLineIo,
  { gate, html: [option, file] }: Files,
): (report: Report) => Promise<Report> {
  const applyFile = readGate(io, gate);
  const target = file === undefined ? undefined : requireWritable(io, option, file);
  return async (bare) => {
    const report = applyFile(bare);
    if (target !== undefined) {
      const { renderHtml } = await import('./html.tsx');
      await writeAtomically(target, await renderHtml(report));
    }
    return report;
  };
}

/**
 * Reads and checks a gate file.
 * @returns a function that applies it to a report; without a file, it changes nothing
 * @throws UsageError with file, line, field and reason
 */
function readGate({ cwd }: CommandLineIo, file: string | undefined): (report: Report) => Report {
  if (file === undefined) return (report) => report;
  let text: string;
  try {
    text = withoutBom(fs.readFileSync(path.resolve(cwd, file), 'utf8'));
  } catch (error) {
    throw cannotRead('--gate', file, error);
  }
  const known = [...Object.keys(gateSchema.shape), ...ids];
  const unknownField = (field: string) => `unknown field.${didYouMean(field, known)}`;
  const name = `--gate: ${file}`;
  const gate = parseJsonFile({ name, text, schema: gateSchema, unknownField });
  return (report) => applyGate(report, file, gate);
}

/** Applies a gate file to a report without one. */
export function applyGate(report: Report, file: string, { require, accept }: Gate): Report {
  const items = report.items.map((entry) => {
    const required = require.includes(entry.id);
    // A required item applies.
    const status =
      required && entry.status === 'not_applicable' ? ('unmet' as const) : entry.status;
    const accepted = status === 'contradicted' ? (accept[entry.id] ?? null) : null;
    return { ...entry, status, required, accepted };
  });
  return { ...report, gate: gateResult(file, items), items };
}

/** Creates a gate that requires the same items as a report without a gate. */
export function makeGate({ items }: Report): Gate {
  return {
    require: items.filter(({ required }) => required).map(({ id }) => id),
    accept: {},
  };
}

import fs from 'node:fs';
import path from 'node:path';
import { usageFrom } from '../../cli/errors.ts';
import type { CommandLineIo } from '../../cli/io.ts';
import { cannotRead } from '../../cli/read-data.ts';
import { JsonFileError, parseJsonFile } from '../../config/json-file.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { withoutBom } from '../../kernel/json.ts';
import { applyGate, gateSchema } from './gate.ts';
import { ITEMS } from './items.ts';
import type { Report } from './report.ts';

/**
 * Reads and checks a gate file.
 * @returns a function that applies it to a report; without a file, it changes nothing
 * @throws UsageError with file, line, field and reason
 */
export function readGate(
  { cwd }: CommandLineIo,
  file: string | undefined,
): (report: Report) => Report {
  if (file === undefined) return (report) => report;
  let text: string;
  try {
    text = withoutBom(fs.readFileSync(path.resolve(cwd, file), 'utf8'));
  } catch (error) {
    throw cannotRead('--gate', file, error);
  }
  const known = [...Object.keys(gateSchema.shape), ...ITEMS.map(({ id }) => id)];
  const unknownField = (field: string) => `unknown field.${didYouMean(field, known)}`;
  try {
    const gate = parseJsonFile({ name: file, text, schema: gateSchema, unknownField });
    return (report) => applyGate(report, file, gate);
  } catch (error) {
    throw usageFrom(error, JsonFileError, '--gate: ');
  }
}

import fs from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { UsageError, usageFrom } from '../../cli/errors.ts';
import type { CommandLineIo } from '../../cli/io.ts';
import { cannotRead } from '../../cli/read-data.ts';
import { JsonFileError, parseJsonFile } from '../../config/json-file.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { withoutBom } from '../../kernel/json.ts';
import { VERSION } from '../../version.ts';
import { exportSchema, type GoliveExport, mergeExports } from './export-file.ts';
import { type Gate, gateFields, gateSchema } from './gate.ts';
import { ITEMS } from './items.ts';
import { makeReport } from './make-report.ts';
import type { Report } from './report.ts';

const MAX_BYTES = 10_000_000;

/** Reads and checks a gate file. @throws UsageError with file, line, field and reason */
export function readGate(
  io: CommandLineIo,
  file: string | undefined,
): { file: string; content: Gate } | undefined {
  if (file === undefined) return undefined;
  const schema = gateSchema(ITEMS.map(({ id }) => id));
  const unknownField = (field: string) => `unknown field.${didYouMean(field, gateFields(schema))}`;
  return { file, content: readJson(io, { option: '--gate', file, schema, unknownField }) };
}

interface JsonFileInput<Schema> {
  option: string;
  file: string;
  schema: Schema;
  unknownField: (field: string) => string;
}

function readJson<Schema extends z.ZodType>(
  io: CommandLineIo,
  { option, file, ...rules }: JsonFileInput<Schema>,
): z.output<Schema> {
  const text = readText(io, option, file);
  try {
    return parseJsonFile({ name: file, text, ...rules });
  } catch (error) {
    throw usageFrom(error, JsonFileError, `${option}: `);
  }
}

function readText({ cwd }: CommandLineIo, option: string, file: string): string {
  const name = path.resolve(cwd, file);
  let problem: string;
  try {
    const stats = fs.statSync(name);
    if (stats.isFile() && stats.size <= MAX_BYTES) {
      return withoutBom(fs.readFileSync(name, 'utf8'));
    }
    problem = stats.isFile() ? 'larger than 10 MB' : 'not a file';
  } catch (error) {
    throw cannotRead(option, file, error);
  }
  throw new UsageError(`${option}: cannot read ${file}: ${problem}`);
}

export function reportOn(
  io: CommandLineIo,
  files: readonly string[],
  gate: { file: string; content: Gate } | undefined,
): Report {
  const { sources } = merge(io, '--from', files);
  return makeReport({ sources, gate, sandlot: VERSION, now: io.runtime.now() });
}

/** Reads, checks and combines exports. @throws UsageError with file, line, field and reason */
export function merge(io: CommandLineIo, option: string, files: readonly string[]): GoliveExport {
  const unknownField = () => 'unknown field';
  const exports = files.map((file) =>
    readJson(io, { option, file, schema: exportSchema, unknownField }),
  );
  return mergeExports(exports, VERSION);
}

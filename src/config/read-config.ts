import fs from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { UsageError } from '../kernel/errors.ts';
import { describeFileError } from '../kernel/file-errors.ts';
import { parseJsonFile } from './json-file.ts';
import { type Config, configSchema } from './schema.ts';
import { CONFIG_FILE } from './settings.ts';

/**
 * Reads and checks a configuration file, JSON with comments and trailing commas. The files that it names must be readable,
 * also if this start does not read them: a reset does.
 * @param file as given by the user; undefined reads `sandlot.config.json` if there is one
 * @throws UsageError with the line of the first error
 */
export function readConfig(file: string | undefined): Config {
  const name = file ?? CONFIG_FILE;
  const text = readText(name, file !== undefined);
  if (text === undefined) return {};
  const folder = path.dirname(name);
  const schema = configSchema().superRefine(checkFiles(folder));
  const config = parseConfig(text, name, schema);
  for (const entry of config.inventory_files ?? []) entry.file = path.resolve(folder, entry.file);
  return config;
}

/** @throws UsageError */
export function parseConfig(text: string, name: string, schema = configSchema()): Config {
  const syntax = { allowTrailingComma: true };
  return parseJsonFile({ name, text, schema, unknownField: () => 'unknown setting', syntax });
}

/** Returns a check that adds an issue for each file that cannot be read. */
function checkFiles(folder: string) {
  return ({ inventory_files: files = [] }: Config, context: z.RefinementCtx): void => {
    for (const [n, { file }] of files.entries()) {
      const problem = problemOf(path.resolve(folder, file));
      if (problem === undefined) continue;
      const message = `${file} cannot be read: ${problem}`;
      context.addIssue({ code: 'custom', path: ['inventory_files', n, 'file'], message });
    }
  };
}

function problemOf(file: string): string | undefined {
  try {
    fs.accessSync(file, fs.constants.R_OK);
    return fs.statSync(file).isDirectory() ? 'it is a folder' : undefined;
  } catch (error) {
    return describeFileError(error, 'file not found');
  }
}

/** Returns undefined if a file that is not required does not exist. */
function readText(name: string, isRequired: boolean): string | undefined {
  try {
    if (!isRequired && !fs.lstatSync(name, { throwIfNoEntry: false })) return undefined;
    return new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(name));
  } catch (error) {
    throw new UsageError(`${name}: cannot be read: ${describeFileError(error, 'file not found')}`);
  }
}

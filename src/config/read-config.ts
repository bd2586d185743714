import fs from 'node:fs';
import path from 'node:path';
import { describeFileError } from '../kernel/file-errors.ts';
import { CONFIG_FILE } from './config-file.ts';
import { JsonFileError, parseJsonFile } from './json-file.ts';
import { type Config, configSchema } from './schema.ts';

/** A configuration that cannot be used; the message names file, line and reason. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/**
 * Reads and checks a configuration file: JSON, in which comments and trailing commas are allowed.
 * @param file as given by the user; undefined reads `sandlot.config.json` if there is one
 * @throws ConfigError with the line of the first error
 */
export function readConfig(file: string | undefined): Config {
  const name = file ?? CONFIG_FILE;
  if (file === undefined && !fs.existsSync(name)) return {};
  return parseConfig(readText(name), name);
}

/** As `readConfig`, on text. */
export function parseConfig(text: string, name: string): Config {
  try {
    const config = parseJsonFile({
      name,
      text,
      schema: configSchema(),
      unknownField: () => 'unknown setting',
      syntax: { allowTrailingComma: true },
    });
    return withPathsFrom(path.dirname(name), config);
  } catch (error) {
    throw error instanceof JsonFileError ? new ConfigError(error.message) : error;
  }
}

/** Resolves inventory files relative to the configuration file. */
function withPathsFrom(folder: string, config: Config): Config {
  const { inventory_files: files } = config;
  if (!files) return config;
  const resolved = files.map((each) => ({ ...each, file: path.resolve(folder, each.file) }));
  return { ...config, inventory_files: resolved };
}

function readText(name: string): string {
  try {
    return fs.readFileSync(name, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name}: cannot be read: ${describeFileError(error, 'file not found')}`);
  }
}

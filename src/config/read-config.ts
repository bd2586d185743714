import fs from 'node:fs';
import path from 'node:path';
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { CONFIG_FILE } from './config-file.ts';
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
 * @throws ConfigError with the line of the first thing that is wrong
 */
export function readConfig(file: string | undefined): Config {
  const name = file ?? CONFIG_FILE;
  if (file === undefined && !fs.existsSync(name)) return {};
  return parseConfig(readText(name), name);
}

/** As `readConfig`, on text. */
export function parseConfig(text: string, name: string): Config {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [syntax] = errors;
  if (syntax || !tree) {
    const reason = syntax ? printParseErrorCode(syntax.error) : 'the file is empty';
    throw new ConfigError(
      `${name}:${lineAt(text, syntax?.offset ?? 0)}: not valid JSON (${reason})`,
    );
  }
  const result = configSchema().safeParse(plainValue(tree));
  if (result.success) return withPathsFrom(path.dirname(name), result.data);
  const [issue] = result.error.issues;
  const place = (issue?.path ?? []).filter((part) => typeof part !== 'symbol');
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const offset = offsetOf(tree, unknown === undefined ? place : [...place, unknown]);
  const field = [...place, ...(unknown === undefined ? [] : [unknown])].join('.');
  const reason = unknown === undefined ? issue?.message : 'unknown setting';
  throw new ConfigError(`${name}:${lineAt(text, offset)}: ${field ? `${field}: ` : ''}${reason}`);
}

/** Inventory files lie beside the configuration that names them, wherever the command is run. */
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
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ConfigError(`${name}: cannot be read (${why})`);
  }
}

function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return node.value;
  const entries = (node.children ?? []).map(({ children }): [string, unknown] => {
    const [key, value] = children ?? [];
    return [String(key?.value), value && plainValue(value)];
  });
  return Object.fromEntries(entries);
}

/** Returns the line of a setting, or of its nearest parent if it is missing. */
function offsetOf(tree: Node, path: readonly (string | number)[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, depth));
    if (node) return node.parent?.type === 'property' ? node.parent.offset : node.offset;
  }
  return tree.offset;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

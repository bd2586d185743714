import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify } from 'jsonc-parser';
import { z } from 'zod';
import type { CommandCall } from '../../cli/command.ts';
import { CommandFailedError, UsageError } from '../../cli/errors.ts';
import { jsonText, writeAtomically } from '../../cli/write-file.ts';
import { parseJsonFile } from '../../config/json-file.ts';
import { describeFileError } from '../../kernel/file-errors.ts';
import { withoutBom } from '../../kernel/json.ts';
import { assertValidName } from '../../world/files.ts';
import { CLIENTS, type ClientName } from './commands.ts';

/** Name of the package, the command and the entry. */
const SANDLOT = 'sandlot';

/** How a client starts the tools. */
interface ServerEntry {
  command: string;
  args: string[];
}

/** Text of a configuration file, and its field with the servers. */
type ConfigFile = Record<'file' | 'text' | 'serversField', string>;

type AddCall = Pick<CommandCall, 'io' | 'out' | 'world' | 'address'> & {
  args: { client: ClientName };
  options: { print: boolean };
};

/** Writes or prints the configuration of a client. @throws UsageError, CommandFailedError if it has another such entry */
export async function addToClient(call: AddCall): Promise<void> {
  const { io, out, args, options } = call;
  const { file: fileName, serversField } = CLIENTS[args.client];
  const folder = projectFolder(io.cwd);
  const file = path.join(folder, fileName);
  const entry = entryFor(folder, call);
  const text = options.print ? '' : readText(file);
  const addEntry = fileName.endsWith('.toml') ? addToToml : addToJson;
  const newText = addEntry({ file, text, serversField }, entry);
  if (newText === undefined) {
    throw new CommandFailedError(
      `${file} has another entry "${SANDLOT}", which is not changed; --print prints the new one`,
    );
  }
  if (options.print) {
    return out.result({ file: fileName, config: newText }, () => newText.trimEnd());
  }
  const changed = newText !== text;
  if (changed) await writeAtomically(file, newText);
  out.result({ file, entry, changed }, () =>
    changed ? `Wrote ${file}` : `${file} has this entry already`,
  );
}

/** Returns the text of a file, empty if it does not exist. Creates its folder. @throws UsageError */
function readText(file: string): string {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    return fs.existsSync(file) ? withoutBom(fs.readFileSync(file, 'utf8')) : '';
  } catch (error) {
    const { path: place = file } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot use ${place}: ${describeFileError(error, 'folder not found')}`);
  }
}

/** Returns the root of the git worktree of a folder, or the folder itself. */
function projectFolder(cwd: string): string {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, '.git'))) return folder;
    if (path.dirname(folder) === folder) return cwd;
  }
}

function entryFor(folder: string, { io, world: worldName, address }: AddCall): ServerEntry {
  const name = path.basename(folder).toLowerCase();
  // The name of a world has at most 63 characters.
  const world = worldName ?? `mcp-${name.replaceAll(/[^a-z0-9_-]+/g, '-')}`.slice(0, 63);
  assertValidName(world);
  const { url, source } = address();
  const words = ['mcp', '--world', world, ...(source === '--url' ? ['--url', url] : [])];
  const has = (file: string) => fs.existsSync(path.join(folder, file));
  // A package of a workspace may have its own.
  const prefix = path.relative(folder, io.cwd).replaceAll(path.sep, '/');
  const isInPackage = has(`${prefix}/node_modules/sandlot`);
  if (!isInPackage && !has('node_modules/sandlot') && !has('bin/sandlot.cjs'))
    return { command: SANDLOT, args: words };
  // `--no` uses only an installed sandlot, or that of a clone, and downloads nothing.
  const place = isInPackage && prefix !== '' ? ['--prefix', prefix] : [];
  return { command: 'npx', args: ['--no', ...place, SANDLOT, ...words] };
}

/** Adds the entry to JSON, which may have comments; undefined if it has another entry. @throws UsageError */
function addToJson({ file, text, serversField }: ConfigFile, entry: ServerEntry) {
  if (text.trim() === '') return jsonText({ [serversField]: { [SANDLOT]: entry } });
  const servers = z.looseObject({ [SANDLOT]: z.looseObject({}).optional() });
  const schema = z.looseObject({ [serversField]: servers.optional() });
  const syntax = { allowTrailingComma: true };
  const config = parseJsonFile({ name: file, text, schema, unknownField: String, syntax });
  const existing = config[serversField]?.[SANDLOT];
  if (existing !== undefined) return isDeepStrictEqual(existing, entry) ? text : undefined;
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return applyEdits(text, modify(text, [serversField, SANDLOT], entry, { formattingOptions }));
}

/** As `addToJson`, for the TOML of Codex. JSON strings are valid TOML strings. */
function addToToml({ text }: ConfigFile, { command, args }: ServerEntry) {
  const head = '[mcp_servers.sandlot]';
  const list = args.map((arg) => JSON.stringify(arg)).join(', ');
  const block = `${head}\ncommand = ${JSON.stringify(command)}\nargs = [${list}]\n`;
  if (`${text}\n`.replaceAll('\r\n', '\n').includes(block)) return text;
  // Another entry may be a table, a dotted key, a key of [mcp_servers], or in one line with all servers.
  const lines = text.split('\n').map((line) => line.replaceAll(/[\s"'[\]]/g, ''));
  const entry = /^(?:(?:mcp_servers\.)?sandlot(?:[.=#]|$)|mcp_servers=)/;
  if (lines.some((line) => entry.test(line))) return undefined;
  return text === '' ? block : `${text.trimEnd()}\n\n${block}`;
}

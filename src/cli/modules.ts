import type { Command, CommandCall, CommandModule } from './command.ts';
import type { CommandFile, Tool } from './tool.ts';

function file(words: string, load: CommandFile['load']): CommandFile {
  return { words: words.split(' '), load };
}

/** The files of commands of the core, by the first words of the commands. */
const COMMAND_FILES: readonly CommandFile[] = [
  file(
    'start stop exec init status doctor',
    async () => (await import('./commands/server.ts')).server,
  ),
  file('credentials', async () => (await import('./commands/credentials.ts')).credentials),
  file('inventory', async () => (await import('./commands/inventory.ts')).inventory),
  file('orders', async () => (await import('./commands/orders.ts')).orders),
  file('settlements', async () => (await import('./commands/sales.ts')).settlements),
  file(
    'checkout transactions payouts brokerage',
    async () => (await import('./commands/sales.ts')).sales,
  ),
  file('webhooks', async () => (await import('./commands/webhooks.ts')).webhooks),
  file('events', async () => (await import('./commands/webhooks.ts')).events),
  file('faults', async () => (await import('./commands/faults.ts')).faults),
  file('clock', async () => (await import('./commands/clock.ts')).clock),
  file('wait idle', async () => (await import('./commands/wait.ts')).waits),
  file('worlds', async () => (await import('./commands/worlds.ts')).worlds),
  file('snapshots', async () => (await import('./commands/worlds.ts')).snapshots),
  file('reset rate-limits', async () => (await import('./commands/worlds.ts')).resets),
  file('find requests logs', async () => (await import('./commands/requests.ts')).requests),
  file('request sign verify openapi', async () => (await import('./commands/signing.ts')).signing),
];

/** Returns the files of commands of the core and the tools, in the order of the help. */
export function commandFiles(tools: readonly Tool[]): readonly CommandFile[] {
  const shell = async () => (await import('./commands/shell.ts')).shell;
  const toolFiles = tools.flatMap(({ commands = [] }) => commands);
  return [...COMMAND_FILES, ...toolFiles, file('completion skill', shell)];
}

/** Loads the commands that begin with a word; if none does, all, because help and errors list them. `--version` needs none. */
export function loadCommandsOf(
  word: string | undefined,
  tools: readonly Tool[],
  files = commandFiles(tools),
): Promise<CommandModule[]> {
  if (word === '--version' || word === '-V') return loadCommands(tools, []);
  const matches = files.filter(({ words }) => words.includes(word ?? ''));
  return matches.length > 0 ? loadCommands(tools, matches, word) : loadCommands(tools, files);
}

/**
 * Loads commands, with the options that tools add to them.
 * @param word first word of the commands; undefined for all commands of the files
 */
export async function loadCommands(
  tools: readonly Tool[],
  files: readonly CommandFile[] = commandFiles(tools),
  word?: string,
): Promise<CommandModule[]> {
  const isNeeded = ({ path }: Command) => word === undefined || path.split(' ')[0] === word;
  const modules = await Promise.all(files.map(({ load }) => load()));
  return Promise.all(
    modules.map(async (module) => ({
      ...module,
      commands: await Promise.all(
        module.commands.filter(isNeeded).map((command) => extendCommand(command, tools)),
      ),
    })),
  );
}

async function extendCommand(command: Command, tools: readonly Tool[]): Promise<Command> {
  let extended = command;
  for (const { extensions = {} } of tools) {
    const extension = await extensions[command.path]?.();
    if (!extension) continue;
    const inner = extended;
    const { details } = extension;
    const innerDetails = inner.details === undefined ? '' : `${inner.details}\n\n`;
    extended = {
      ...inner,
      options: { ...inner.options, ...extension.options },
      ...(details !== undefined && { details: innerDetails + details }),
      examples: [...inner.examples, ...(extension.examples ?? [])],
      run: (call) => extension.run(call, () => inner.run(withOptionsOf(inner, call))),
    };
  }
  return extended;
}

/** Removes the options of extensions, because the command may send all its options to the endpoint. */
function withOptionsOf({ options = {} }: Command, call: CommandCall): CommandCall {
  const coreOptions = Object.entries(call.options).filter(([name]) => Object.hasOwn(options, name));
  return { ...call, options: Object.fromEntries(coreOptions) };
}

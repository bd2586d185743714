import type { Command } from './command.ts';
import { COMPLETE, printCandidates } from './complete.ts';
import { type CommonValues, createContext, type Effect } from './context.ts';
import { type CommandLineIo, readEnvironment } from './io.ts';
import { commandFiles, loadCommands, loadCommandsOf } from './modules.ts';
import { buildProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';
import type { CommandFile, Tool } from './tool.ts';

/**
 * Runs one command line.
 * @param argv the words after the name of the program
 * @param files other commands than those of core and tools, for tests
 * @returns the exit code: 0 success, 1 rejected or a failed check, 2 wrong usage, 3 no sandbox responds, or that of `exec`
 * @throws never
 */
export async function runCommandLine(
  argv: readonly string[],
  io: CommandLineIo,
  tools: readonly Tool[],
  files: readonly CommandFile[] = commandFiles(tools),
): Promise<number> {
  const variables = readEnvironment(io.env);
  if (argv[0] === COMPLETE) {
    await printCandidates(argv.slice(1), io, tools);
    return 0;
  }
  const contextOf = (common: Partial<CommonValues>, effect?: Effect) =>
    createContext(common, io, variables, tools, effect);
  let path = '';
  // Reports a failure too. Of the common options, only `--json` is known until the command line is parsed.
  let context = contextOf({ json: asksForJson(argv) });
  const streams = { ...io, colorError: (text: string) => context.out.colors.error(text) };
  try {
    const modules = await loadCommandsOf(argv[0], tools, files);
    if (asksForHelpAsJson(argv)) {
      const { helpDocument } = await import('./help-document.ts');
      context.out.result(helpDocument(modules), () => '');
      return 0;
    }
    const program = buildProgram(modules, streams, async ({ command, args, options, common }) => {
      context = contextOf(common, effectOf(command, options));
      path = command.path;
      await command.run({
        ...context,
        args,
        options,
        allCommands: () => loadCommands(tools, files),
      });
    });
    // The `help` of commander takes one word, and most commands have two.
    const asksForHelpOf = ({ path }: Command) => argv.join(' ') === `help ${path}`;
    const isHelp = modules.some(({ commands }) => commands.some(asksForHelpOf));
    const words = isHelp ? [...argv.slice(1), '--help'] : argv;
    await program.parseAsync(words.length === 0 ? ['--help'] : [...words], { from: 'user' });
    return 0;
  } catch (error) {
    return reportFailure(error, context, path);
  }
}

function effectOf(
  { readOnly, discardsState }: Command,
  options: Readonly<Record<string, unknown>>,
): Effect {
  if (readOnly) return 'reads';
  return discardsState?.(options) ? 'discards' : 'changes';
}

/** Whether the help of the whole program is requested as JSON. In `exec npm --help --json`, npm gets these words. */
function asksForHelpAsJson(words: readonly string[]): boolean {
  return words.length === 2 && words.includes('--help') && words.includes('--json');
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

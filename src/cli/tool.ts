import type { SandboxTool } from '../sandbox/tool.ts';
import type { CommandCall, CommandModule, Options } from './command.ts';

/** A file of commands, and the first words of its commands. It is loaded if one of them is used. */
export interface CommandFile {
  words: readonly string[];
  load(): Promise<CommandModule>;
}

/** A part of the product that can be deleted: its folder, and its line in `tools/index.ts`. */
export interface Tool extends SandboxTool {
  commands?: readonly CommandFile[];
  /** Options that it adds to other commands, by the path of the command. */
  extensions?: Readonly<Record<string, () => Promise<CommandExtension>>>;
}

/** Options of a tool for a command of the core. */
export interface CommandExtension {
  options: Options;
  /** Paragraph to add to the help of the command. */
  details?: string;
  examples?: readonly string[];
  /** Runs instead of the command. @param core runs the command itself */
  run(call: CommandCall, core: () => Promise<void>): Promise<void>;
}

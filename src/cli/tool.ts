import type { SandboxTool } from '../sandbox/tool.ts';
import type { CommandCall, CommandModule, Options } from './command.ts';

/** Commands that are loaded together, when the command line begins with one of `words`. */
export interface CommandFile {
  words: readonly string[];
  load(): Promise<CommandModule>;
}

/** An optional part of sandlot: commands, options of other commands, endpoints and pages. `tools/index.ts` lists them. */
export interface Tool extends SandboxTool {
  commands?: readonly CommandFile[];
  /** Options that it adds to other commands, by command, such as `orders show`. */
  extensions?: Readonly<Record<string, () => Promise<CommandExtension>>>;
}

/** Options that a tool adds to another command. */
export interface CommandExtension {
  options: Options;
  /** Paragraph to add to the help of the command. */
  details?: string;
  examples?: readonly string[];
  /** Runs instead of the command. @param runCommand runs the command without these options */
  run(call: CommandCall, runCommand: () => Promise<void>): Promise<void>;
}

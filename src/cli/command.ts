import type { ControlClient } from '../client/control-client.ts';
import type { ArgumentDeclaration, OptionDeclaration, ValuesOf } from './declare.ts';
import type { Environment } from './environment.ts';
import type { CommandLineIo } from './io.ts';
import type { SandboxAddress } from './locate.ts';
import type { Output } from './output.ts';

export type Arguments = Record<string, ArgumentDeclaration<unknown>>;
export type Options = Record<string, OptionDeclaration<unknown>>;

/** What every command gets. */
export interface CommandContext {
  out: Output;
  io: CommandLineIo;
  environment: Environment;
  /** Every command there is. */
  commands: readonly CommandDeclaration[];
  /** Name given with --world; the sandbox takes `default` when there is none. */
  world: string | undefined;
  /** Folder of the state, absolute. */
  dataDir: string;
  /** Where the sandbox is looked for; read anew at every call, as a sandbox may be starting. */
  address(): SandboxAddress;
  /** Given on the command line, where options of the command itself come first, or in the environment. */
  controlToken(own?: {
    controlToken?: string | undefined;
    controlTokenFile?: string | undefined;
  }): string | undefined;
  /** The control door of that sandbox, in the world given; the signal gives up on its answers. */
  control(signal?: AbortSignal): ControlClient;
}

export interface CommandCall<Args extends Arguments = Arguments, Opts extends Options = Options>
  extends CommandContext {
  args: ValuesOf<Args>;
  options: ValuesOf<Opts>;
}

/**
 * One command. What `run` throws becomes the exit code: ControlApiError and CheckFailedError 1, UsageError 2,
 * UnreachableError 3, ExitWith its own. Import what is heavy inside `run`.
 */
export interface CommandDeclaration<
  Args extends Arguments = Arguments,
  Opts extends Options = Options,
> {
  /** The words that call it: `orders advance`. */
  path: string;
  summary: string;
  /** Positional arguments, in order; the key is the name shown in the help. */
  args?: Args;
  /** An option declared here takes the place of a common one of the same name. */
  options?: Opts;
  /** Command lines that run as they stand. */
  examples: readonly string[];
  /** Paragraphs of the help, under the summary. */
  details?: string;
  /** Options behind the first argument belong to that argument: `exec npm test --watch`. */
  passThrough?: boolean;
  run(call: CommandCall<Args, Opts>): Promise<void>;
}

/** Declares a command; the types of its arguments and options follow from their declarations. */
export function defineCommand<
  Args extends Arguments = Record<never, never>,
  Opts extends Options = Record<never, never>,
>(declaration: CommandDeclaration<Args, Opts>): CommandDeclaration {
  // The program hands over what these very declarations made, so the narrower input of `run` is honest.
  return declaration as unknown as CommandDeclaration;
}

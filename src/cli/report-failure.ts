import { CommanderError } from 'commander';
import { ControlApiError } from '../client/control-client.ts';
import { UnreachableError } from '../client/unreachable.ts';
import { CodedError } from '../kernel/errors.ts';
import { printable } from '../kernel/printable.ts';
import type { Command } from './command.ts';
import type { CommandContext } from './context.ts';
import { CannotRunError, CheckFailedError, ExitWith, UsageError } from './errors.ts';
import { LIST_COMMANDS } from './object-lists.ts';

interface Failure {
  exitCode: number;
  /** For scripts; a code of the partner API if the sandbox rejected the call. */
  code: string;
  message: string;
  hint?: string | undefined;
}

/**
 * Reports an error to people on stderr and to scripts on stdout.
 * @param command the command that failed, if it began to run
 * @param path the command or noun in the command line
 * @returns the exit code
 */
export function reportFailure(
  error: unknown,
  context: CommandContext,
  command: Command | undefined,
  path: string,
): number {
  if (error instanceof ExitWith) return error.exitCode;
  // Help and version are errors of commander with exit code 0.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const { out } = context;
  const { exitCode, code, message, hint } = failureOf(error, context, command, path);
  // People have seen a failed check in the result, and commander prints its errors itself.
  const isReported = error instanceof CheckFailedError && out.hasResult && !out.json;
  if (!isReported && !(error instanceof CommanderError)) {
    out.note(`${out.colors.error('error:')} ${printable(message)}`);
    if (hint !== undefined) out.note(hint);
  }
  if (out.json && !out.hasResult) out.result({ error: { code, message } }, () => '');
  return exitCode;
}

function failureOf(
  error: unknown,
  context: CommandContext,
  command: Command | undefined,
  path: string,
): Failure {
  if (error instanceof ControlApiError || error instanceof CodedError) {
    const { code } = error;
    const message = nameInputs(error.message, command);
    // The input comes from the command line, so it is wrong usage.
    if (code === 'validation_error') {
      return { exitCode: 2, code, message, hint: command && `See: sandlot ${path} --help` };
    }
    const list = code === 'not_found' ? listCommand(error.message, context.world) : undefined;
    return { exitCode: 1, code, message, hint: list && `See: ${list}` };
  }
  if (error instanceof CheckFailedError) {
    return { exitCode: 1, code: 'check_failed', message: error.message };
  }
  if (error instanceof CannotRunError) {
    return { exitCode: error.exitCode, code: 'cannot_run', message: error.message };
  }
  if (error instanceof UsageError || error instanceof CommanderError) {
    const isHelp = error instanceof CommanderError && error.code === 'commander.help';
    const message = isHelp ? 'missing command' : error.message.replace(/^error: /, '');
    return { exitCode: 2, code: 'usage', message };
  }
  if (error instanceof UnreachableError) {
    const { url, source } = context.address();
    return {
      exitCode: 3,
      code: 'unreachable',
      message: url === error.url ? `${error.message} (from ${source})` : error.message,
      hint: 'Start a sandbox with "sandlot start", or pass its address with --url or SANDLOT_URL.',
    };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    exitCode: 1,
    code: 'internal_error',
    message: `${message.split('\n', 1)[0]} (this is a bug in sandlot)`,
  };
}

/** Returns the command that lists what exists. @param message message of a `not_found` error */
function listCommand(message: string, world: string | undefined): string | undefined {
  const list = LIST_COMMANDS[fieldOf(message) ?? ''];
  return list && `sandlot ${list}${world === undefined ? '' : ` --world ${world}`}`;
}

/** A field of the control API at the start of an error: `match.method: …`. */
const FIELD = /^([a-z_]+(?:\.[\w-]+)*): /;

/** Returns the field at the start of an error. */
function fieldOf(message: string): string | undefined {
  return FIELD.exec(message)?.[1];
}

/**
 * Returns an error of the control API in terms of what the user typed: the field at its start, and fields in backticks,
 * become the options and arguments of the command that set them.
 */
function nameInputs(message: string, command: Command | undefined): string {
  const inputs = inputsOf(command);
  const text = message.replace(FIELD, (start, field: string) => {
    const [object = ''] = field.split('.', 1);
    const names = [field, object, field.slice(object.length + 1)];
    const input = names.find((name) => inputs.has(name));
    return input === undefined ? start : `${inputs.get(input)}: `;
  });
  return text.replace(/`([a-z_]+)`/g, (quoted, field: string) => inputs.get(field) ?? quoted);
}

/** Returns the inputs of a command as its help spells them, by their fields. */
function inputsOf({ args = {}, options = {} }: Pick<Command, 'args' | 'options'> = {}) {
  return new Map<string, string>([
    ...Object.entries(options).map(([key, { long }]) => [key, long ?? key] as const),
    ...Object.entries(args).map(([key, input]) => [key, `<${input.name()}>`] as const),
  ]);
}

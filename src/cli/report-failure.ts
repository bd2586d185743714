import { CommanderError } from 'commander';
import { ControlApiError } from '../client/control-client.ts';
import { UnreachableError } from '../client/unreachable.ts';
import { CodedError, type ErrorCode } from '../kernel/errors.ts';
import { printable } from '../kernel/printable.ts';
import type { Command } from './command.ts';
import type { CommandContext } from './context.ts';
import { CannotRunError, CheckFailedError, ExitWith, UsageError } from './errors.ts';
import { listCommandOf } from './object-lists.ts';
import type { TypedInput } from './options.ts';

interface Failure {
  exitCode: number;
  /** For scripts; a code of the partner API if the sandbox rejected the call. */
  code: string;
  message: string;
  hint?: string | undefined;
  /** Commands, options and arguments that help, for scripts. */
  next: readonly string[];
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
  const { exitCode, code, message, hint, next } = failureOf(error, context, command, path);
  // People have seen a failed check in the result, and commander prints its errors itself.
  const isReported = error instanceof CheckFailedError && out.hasResult && !out.json;
  if (!isReported && !(error instanceof CommanderError)) {
    out.note(`${out.colors.error('error:')} ${printable(message)}`);
    if (hint !== undefined) out.note(hint);
  }
  if (out.json && !out.hasResult) out.result({ error: { code, message, next } }, () => '');
  return exitCode;
}

function failureOf(
  error: unknown,
  context: CommandContext,
  command: Command | undefined,
  path: string,
): Failure {
  const help = `${`sandlot ${path}`.trim()} --help`;
  if (error instanceof ControlApiError || error instanceof CodedError) {
    const { code, message } = error;
    const text = nameOptions(message, command);
    // The input comes from the command line, so it is wrong usage.
    if (code === 'validation_error') {
      const next = [...inputIn(text), help];
      return { exitCode: 2, code, message: text, hint: command && `See: ${help}`, next };
    }
    const list = code === 'not_found' ? listCommand(message, context.world) : undefined;
    const hint = list && `See: ${list}`;
    return { exitCode: 1, code, message: text, hint, next: [list ?? NEXT[code] ?? help] };
  }
  if (error instanceof CheckFailedError) {
    return { exitCode: 1, code: 'check_failed', message: error.message, next: [help] };
  }
  if (error instanceof CannotRunError) {
    const { exitCode, message } = error;
    return { exitCode, code: 'cannot_run', message, next: [help] };
  }
  if (error instanceof UsageError || error instanceof CommanderError) {
    const isHelp = error instanceof CommanderError && error.code === 'commander.help';
    const message = isHelp ? 'missing command' : error.message.replace(/^error: /, '');
    return { exitCode: 2, code: 'usage', message, next: [...inputIn(message), help] };
  }
  if (error instanceof UnreachableError) return unreachable(error, context);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    exitCode: 1,
    code: 'internal_error',
    message: `${message.split('\n', 1)[0]} (this is a bug in sandlot)`,
    next: ['sandlot doctor'],
  };
}

/** The next step after errors that other input of the command cannot fix. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  missing_credentials: '--control-token',
  forbidden: '--url',
  internal_error: 'sandlot doctor',
};

/** Returns the option or argument that an error is about, or suggests. */
function inputIn(message: string): string[] {
  const match =
    /Did you mean (--[\w-]+)/.exec(message) ??
    /^(--[\w-]+|<[\w-]+>)[: ]/.exec(message) ??
    /(?:option|argument) '(?:-\w, )?(--[\w-]+|[\w-]+)/.exec(message);
  return match?.[1] === undefined ? [] : [match[1]];
}

function unreachable(error: UnreachableError, context: CommandContext): Failure {
  let source: string | undefined;
  try {
    const address = context.address();
    if (address.url === error.url) source = address.source;
  } catch {
    // Without a valid address, the message does not name its source.
  }
  return {
    exitCode: 3,
    code: 'unreachable',
    message: source === undefined ? error.message : `${error.message} (from ${source})`,
    hint: error.isOther
      ? 'Pass the address of a sandbox with --url or SANDLOT_URL; "sandlot start --port 0" starts one on a free port.'
      : 'Start a sandbox with "sandlot start", or pass its address with --url or SANDLOT_URL.',
    next: [error.isOther ? 'sandlot start --port 0' : 'sandlot start', '--url'],
  };
}

/**
 * Returns the command that lists what exists.
 * @param message message of a `not_found` error, which begins with the name of the field
 */
function listCommand(message: string, world: string | undefined): string | undefined {
  const field = fieldOf(message);
  // The message about a world lists the others.
  const list = field === undefined || field === 'world' ? undefined : listCommandOf(field);
  if (list === undefined) return undefined;
  return `sandlot ${list}${world === undefined ? '' : ` --world ${world}`}`;
}

/** A field of the control API at the start of an error: `match.method: …`. */
const FIELD = /^([a-z_]+(?:\.[\w-]+)*): /;

/**
 * Returns an error of the control API in terms of what the user typed: the field at its start, and fields in backticks,
 * become the options and arguments of the command that set them.
 */
function nameOptions(message: string, command: Command | undefined): string {
  const inputs = inputsOf(command);
  const text = message.replace(FIELD, (start, field: string) => {
    const input = inputOf(field, inputs);
    return input === undefined ? start : `${input}: `;
  });
  return text.replace(/`([a-z_]+)`/g, (quoted, field: string) => inputs.get(field) ?? quoted);
}

/** Returns the field at the start of an error. */
export function fieldOf(message: string): string | undefined {
  return FIELD.exec(message)?.[1];
}

/** Finds the input of a field, or of the object that contains it, or of its own name. */
function inputOf(field: string, inputs: ReadonlyMap<string, string>): string | undefined {
  const [object = ''] = field.split('.', 1);
  return inputs.get(field) ?? inputs.get(object) ?? inputs.get(field.slice(object.length + 1));
}

/** Returns the inputs of a command as its help spells them, by the fields that they set. */
function inputsOf({ args = {}, options = {} }: Pick<Command, 'args' | 'options'> = {}) {
  const inputs = new Map<string, string>([['world', '--world']]);
  const add = (key: string, { fields }: TypedInput, inputName: string) => {
    for (const field of [key, ...fields]) inputs.set(field, inputName);
  };
  for (const [key, option] of Object.entries(options)) add(key, option, option.long ?? key);
  for (const [key, argument] of Object.entries(args)) add(key, argument, `<${argument.name()}>`);
  return inputs;
}

import { CommanderError } from 'commander';
import { ControlApiError, UnreachableError } from '../client/control-client.ts';
import { CodedError } from '../kernel/errors.ts';
import { printable } from '../kernel/printable.ts';
import type { CommandContext } from './command.ts';
import { CheckFailedError, ExitWith, UsageError } from './failures.ts';
import { whereToLook } from './where-to-look.ts';

interface Failure {
  exitCode: number;
  /** Stable word for scripts; the codes of the partner API where the sandbox refused. */
  code: string;
  message: string;
  /** Further lines for people. */
  hint?: string;
}

/**
 * Tells what went wrong, to people on stderr and to scripts on stdout.
 * @param help the command line that shows the help that belongs here
 * @returns the exit code
 */
export function reportFailure(error: unknown, context: CommandContext, help: () => string): number {
  if (error instanceof ExitWith) return error.exitCode;
  // Help and version come out of commander as errors with exit code 0.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const { out } = context;
  const { exitCode, code, message, hint } = failureOf(error, context, help);
  // A check that failed has been shown to people already, where there was a result to show.
  if (error instanceof CheckFailedError && out.hasResult && !out.json) return exitCode;
  out.note(`${out.paint.bad('error:')} ${printable(message)}`);
  if (hint !== undefined) out.note(hint);
  if (out.json && !out.hasResult) out.result({ error: { code, message } }, () => '');
  return exitCode;
}

function failureOf(error: unknown, context: CommandContext, help: () => string): Failure {
  if (error instanceof ControlApiError || error instanceof CodedError) {
    const { code, message } = error;
    const hint = code === 'not_found' ? whereToLook(message, context.world) : undefined;
    return { exitCode: 1, code, message, ...(hint !== undefined && { hint }) };
  }
  if (error instanceof CheckFailedError) {
    return { exitCode: 1, code: 'check_failed', message: error.message };
  }
  if (error instanceof UsageError) return wrongUsage(error.message, help());
  if (error instanceof CommanderError) return wrongUsage(wordsOf(error), help());
  if (error instanceof UnreachableError) return unreachable(error, context);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    exitCode: 1,
    code: 'internal_error',
    message: `${message.split('\n', 1)[0]} (this is a bug in sandlot)`,
  };
}

function wrongUsage(message: string, help: string): Failure {
  return { exitCode: 2, code: 'usage', message, hint: `see: ${help}` };
}

/** commander's sentence, on one line. */
function wordsOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'a command is missing; expected one of those above';
  return message
    .replace(/^error: /, '')
    .replace(/^missing required argument '(.*)'/, '<$1> is missing')
    .replace(/^required option '(.*)' not specified/, '$1 is missing')
    .replace(/^unknown (command|option) '(.*)'/, 'there is no $1 $2')
    .replace(/\s*\(Did you mean (.*)\?\)/s, '. Did you mean $1?')
    .replace(
      /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\./s,
      '$1: "$2" is not valid.',
    )
    .replace(
      /^command-argument value '(.*)' is invalid for argument '(.*)'\./s,
      '<$2>: "$1" is not valid.',
    )
    .replace(': "" is not valid. must', ': must')
    .replace(/\s*\n\s*/g, ' ');
}

function unreachable(error: UnreachableError, context: CommandContext): Failure {
  let source: string | undefined;
  try {
    const address = context.address();
    if (address.url === error.url) source = address.source;
  } catch {
    // Where it came from is a detail; that nothing answers is the news.
  }
  return {
    exitCode: 3,
    code: 'unreachable',
    message: source === undefined ? error.message : `${error.message} (from ${source})`,
    hint: 'start one with: sandlot start, or say where one is with --url or SANDLOT_URL',
  };
}

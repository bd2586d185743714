import { CommanderError } from 'commander';
import { ControlApiError } from '../client/control-client.ts';
import { connectionErrorOf, UnreachableError, WAITED_TOO_LONG } from '../client/unreachable.ts';
import { CodedError } from '../kernel/errors.ts';
import { printable } from '../kernel/printable.ts';
import type { CommandContext } from './context.ts';
import { CannotRunError, CommandFailedError, ExitWith, UsageError } from './errors.ts';

interface Failure {
  exitCode: number;
  /** For scripts; a code of the partner API if the sandbox rejected the call. */
  code: string;
  message: string;
  hint?: string;
}

/**
 * Reports an error to people on stderr and to scripts on stdout.
 * @param path the words that call the command; empty if it is not known
 * @returns the exit code
 */
export function reportFailure(error: unknown, context: CommandContext, path: string): number {
  if (error instanceof ExitWith) return error.exitCode;
  // Help and version are errors of commander with exit code 0.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const { out } = context;
  const { exitCode, code, message, hint } = failureOf(error, context, path);
  // People have seen a failed check in the result, and commander prints its errors itself.
  const isReported = error instanceof CommandFailedError && out.hasResult && !out.json;
  if (!isReported && !(error instanceof CommanderError)) {
    out.note(`${out.colors.error('error:')} ${printable(message)}`);
    if (hint !== undefined) out.note(hint);
  }
  if (out.json && !out.hasResult) out.result({ error: { code, message } }, () => '');
  return exitCode;
}

function failureOf(error: unknown, context: CommandContext, path: string): Failure {
  if (error instanceof ControlApiError || error instanceof CodedError) {
    const { code } = error;
    // The sandbox does not know the options of this command line.
    const suggested = (_: string, line: string) => `\`${context.suggest(line)}\``;
    const message = error.message.replace(/`sandlot (.*?)`/g, suggested);
    if (code !== 'validation_error') return { exitCode: 1, code, message };
    // The input comes from the command line, so it is wrong usage.
    return { exitCode: 2, code, message, hint: `See: sandlot ${path} --help` };
  }
  if (error instanceof CommandFailedError) {
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
    const isReached = connectionErrorOf(error.cause).code === WAITED_TOO_LONG;
    return {
      exitCode: 3,
      code: 'unreachable',
      message: url === error.url ? `${error.message} (from ${source})` : error.message,
      hint: isReached
        ? `See how far it is: ${context.suggest('clock')}`
        : 'Start a sandbox with "sandlot start", or pass its address with --url or SANDLOT_URL.',
    };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    exitCode: 1,
    code: 'internal_error',
    message: `${message.split('\n', 1)[0]} (this is a bug in sandlot)`,
  };
}

import { UsageError } from '../kernel/errors.ts';

export { UsageError };

/** Turns an error of one class into a UsageError. Returns any other error unchanged. */
export function usageFrom(
  error: unknown,
  errorClass: new (...args: never[]) => Error,
  prefix = '',
): unknown {
  return error instanceof errorClass ? new UsageError(prefix + error.message) : error;
}

/** A command failed, not because of its usage: exit code 1. A result may have been printed before. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
}

/** A program that cannot be started: exit code 127 if it is not found and 126 otherwise, as in a shell. */
export class CannotRunError extends Error {
  override readonly name = 'CannotRunError';
  readonly exitCode: 126 | 127;
  constructor(exitCode: 126 | 127, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Ends the program with a code and prints nothing. */
export class ExitWith extends Error {
  override readonly name = 'ExitWith';
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

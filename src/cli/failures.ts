/** The command line was used wrongly: exit code 2. The message says what was expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A value on the command line is not of the kind that its option takes; the framework names the option. */
export class InvalidValueError extends Error {
  override readonly name = 'InvalidValueError';
}

/** What the command looked at is not as it should be: exit code 1. A result may have been printed before. */
export class CheckFailedError extends Error {
  override readonly name = 'CheckFailedError';
}

/** Ends the program with a code and without another word. */
export class ExitWith extends Error {
  override readonly name = 'ExitWith';
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

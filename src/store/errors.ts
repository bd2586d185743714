/** A state on disk that cannot be used: why, in a sentence, or what a database that is being opened is ("damaged (…)"). */
export class UnusableStateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableStateError';
  }
}

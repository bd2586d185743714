/** A state on disk that cannot be used. The message is a sentence, or of `checkWorld` what the file is: "damaged (…)". */
export class UnusableStateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableStateError';
  }
}

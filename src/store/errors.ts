/** A state on disk that cannot be used. The message is a sentence for the person who started sandlot. */
export class UnusableStateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableStateError';
  }
}

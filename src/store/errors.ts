/** A state on disk that cannot be used. The message is a sentence, or from `checkWorld` only what the file is: "damaged (…)". */
export class UnusableStateError extends Error {
  override name = 'UnusableStateError';
}

/** A state on disk that cannot be used. The message is a sentence; that of `checkWorld` is a part of one: "damaged (…)". */
export class UnusableStateError extends Error {
  override name = 'UnusableStateError';
}

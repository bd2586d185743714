/** Options or input that a run cannot start with; the message names the option. */
export class GauntletInputError extends Error {
  override readonly name = 'GauntletInputError';
}

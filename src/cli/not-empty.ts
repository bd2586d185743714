import { InvalidArgumentError } from 'commander';

export const EMPTY = 'must not be empty; is a shell variable unset?';

/** Returns the value of an argument or option. @throws InvalidArgumentError if it is empty */
export function assertNotEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError(EMPTY);
  return text;
}

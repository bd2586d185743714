import { type CodedError, validationError } from '../../../kernel/errors.ts';

const NAMED = 20;
const MAX_REASON = 200;

/** What is wrong with a file: the first lines by number and reason, the rest by their count. */
export class BadLines {
  readonly #named: string[] = [];
  #count = 0;

  get any(): boolean {
    return this.#count > 0;
  }

  note(line: number, reason: string): void {
    this.#count += 1;
    if (this.#named.length >= NAMED) return;
    const shown = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
    this.#named.push(`line ${line}: ${shown.toWellFormed()}`);
  }

  /** @throws validation_error when there was any; `source` names the file */
  refuse(source: string): void {
    if (this.any) throw this.#error(source);
  }

  #error(source: string): CodedError {
    const more = this.#count - this.#named.length;
    const rest = more === 0 ? '' : `\nand ${more} more`;
    const lines = this.#count === 1 ? '1 bad line' : `${this.#count} bad lines`;
    return validationError(
      `${source}: ${lines}, nothing was imported\n${this.#named.join('\n')}${rest}`,
    );
  }
}

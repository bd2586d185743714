import type { CanonicalParts } from '../canonical.ts';

export interface MistakeText {
  summary: string;
  fix: string;
}

/** The lines of a canonical string: the query is canonical, the method in upper case. */
export type Lines = Readonly<CanonicalParts>;

export interface SigningMistake<Slug extends string = string> {
  slugs: readonly Slug[];
  lines?: Partial<Lines>;
  /** Joins the six lines in another way than by `\n`. */
  layOut?: (lines: readonly string[]) => string;
  detail?: string;
  /** Whether it is too rare to be combined with a second mistake. */
  rare?: boolean;
}

/** The six lines in the order of the specification. */
export function inOrder(lines: Lines): readonly [string, string, string, string, string, string] {
  return [lines.method, lines.path, lines.query, lines.timestamp, lines.nonce, lines.bodySha256];
}

/** The canonical string of the specification: six lines joined by `\n`. */
export function canonicalOf(lines: Lines): string {
  return inOrder(lines).join('\n');
}

/**
 * Limit on the work of a diagnosis. A unit is about a nanosecond, so this is about 20 ms. Work is counted, not timed, so
 * that a request gets the same diagnosis on every machine.
 */
export const WORK_BUDGET = 20_000_000;

/** Work of a canonical string and its digest. */
export const attemptWork = (characters: number) => 3_000 + 4 * characters;
/** Work of a digest of an existing text. */
export const digestWork = (bytes: number) => 2_500 + bytes;
/** Work of reading a text, or of writing it in another spelling. */
export const spellingWork = (characters: number) => 500 + 30 * characters;

export class WorkExceededError extends Error {
  constructor() {
    super('the diagnosis exceeds its work limit');
    this.name = 'WorkExceededError';
  }
}

export class WorkMeter {
  readonly #limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Called before the work is done. @throws WorkExceededError */
  spend(units: number): void {
    if (this.#spent + units > this.#limit) throw new WorkExceededError();
    this.#spent += units;
  }
}

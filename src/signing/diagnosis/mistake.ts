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
  /** Which variant it is, for people. */
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

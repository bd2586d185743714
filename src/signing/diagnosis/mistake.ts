import type { CanonicalParts } from '../canonical.ts';

/** What is told about one mistake: a sentence on what the client did, one on what to do. */
export interface MistakeText {
  summary: string;
  fix: string;
}

/** The six lines as they stand in a canonical string: the query already canonical, the method upper case. */
export type Lines = Readonly<CanonicalParts>;

/** One way to get the canonical string wrong, beside the six right lines. */
export interface SigningMistake<Slug extends string = string> {
  slugs: readonly Slug[];
  /** Lines that read differently. */
  lines?: Partial<Lines>;
  /** Lays the six lines out otherwise than joined by `\n`. */
  layOut?: (lines: readonly string[]) => string;
  /** Which variant it is, for people. */
  detail?: string;
  /** Too seldom to be tried together with a second mistake. */
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

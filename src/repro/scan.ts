import { SecretSearch } from '../requests/secret-search.ts';

/** Texts that must not be in a file: minted secrets, those of the world, and replaced personal data. */
export interface Forbidden {
  secrets: Iterable<string>;
  personal: Iterable<string>;
}

/** A position in the file with forbidden text, which is not shown. */
export interface ScanFinding {
  /** Number of the line, from 1. */
  line: number;
  what: 'a secret' | 'personal data';
}

const BASE64 = /[A-Za-z0-9+/_-]{16,}/g;
const MAX_NESTED = 3;

/** Searches the lines of a file, as text and with all escapes and base64 undone. */
export function scanLines(
  lines: Iterable<string>,
  { secrets, personal }: Forbidden,
): ScanFinding | undefined {
  const known = [...secrets];
  const all = searchFor([...known, ...personal]);
  let number = 0;
  for (const line of lines) {
    number += 1;
    for (const text of textsIn(line)) {
      if (!all.occursIn(text)) continue;
      const isSecret = searchFor(known).occursIn(text);
      return { line: number, what: isSecret ? 'a secret' : 'personal data' };
    }
  }
  return undefined;
}

function searchFor(values: Iterable<string>): SecretSearch {
  const search = new SecretSearch();
  search.add(values);
  return search;
}

/** Yields a text, and the texts that its base64 holds: escapes in them are undone by the search. */
function* textsIn(text: string, depth = 0): Generator<string> {
  yield text;
  if (depth === MAX_NESTED) return;
  for (const [encoded] of text.matchAll(BASE64)) {
    const decoded = Buffer.from(encoded, /[-_]/.test(encoded) ? 'base64url' : 'base64');
    yield* textsIn(decoded.toString('latin1'), depth + 1);
  }
}

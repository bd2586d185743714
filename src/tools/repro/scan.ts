import type { Repro } from './format.ts';
import { fixedPlaceholder } from './placeholders.ts';
import { personalSearch, TextSearch } from './text-search.ts';

/** Texts that must not be in a file. */
interface Forbidden {
  secrets: Iterable<string>;
  personal: Iterable<string>;
}

/** The position of a forbidden text. The text itself is not shown. */
interface ScanFinding {
  /** Number of the line, from 1. */
  lineNumber: number;
  kind: 'a secret' | 'personal data';
}

const HEX = /(?:[0-9a-f]{2}){8,}/gi;
const BASE64 = /[A-Za-z0-9+/_-]{16,}/g;
/** Text before base64 may look like base64, so decoding starts at each of four offsets. */
const OFFSETS = [0, 1, 2, 3];
const MAX_NESTED = 3;

/** Searches lines as text, without escapes, and decoded from base64 and hex. Also finds unlisted minted secrets. */
export function scanLines(lines: Iterable<string>, forbidden: Forbidden): ScanFinding | undefined {
  const secrets = new TextSearch();
  secrets.add(forbidden.secrets);
  const personal = personalSearch();
  personal.add(forbidden.personal);
  let lineNumber = 0;
  for (const line of lines) {
    lineNumber += 1;
    for (const text of textsIn(line)) {
      if (secrets.find(text).length > 0) return { lineNumber, kind: 'a secret' };
      if (personal.find(text).length > 0) return { lineNumber, kind: 'personal data' };
    }
  }
  return undefined;
}

/** Yields a text and the texts that it may encode. The search itself undoes escapes. */
function* textsIn(text: string, depth = 0): Generator<string> {
  yield text;
  if (depth === MAX_NESTED) return;
  for (const [hex] of text.matchAll(HEX)) {
    yield* textsIn(Buffer.from(hex, 'hex').toString('latin1'), depth + 1);
  }
  for (const [encoded] of text.matchAll(BASE64)) {
    for (const offset of OFFSETS) {
      const decoded = Buffer.from(encoded.slice(offset), 'base64');
      yield* textsIn(decoded.toString('latin1'), depth + 1);
    }
  }
}

/** Returns a function that replaces these secrets and all minted ones in a text. */
export function secretMask(secrets: Iterable<string>): (text: string) => string {
  const search = new TextSearch();
  search.add(secrets);
  return (text) => search.replace(text, ({ text: match }) => fixedPlaceholder(match.length));
}

/** Searches a file for forbidden texts. @param lines the lines of the file */
export function findForbidden(
  { base, requests }: Repro,
  lines: readonly string[],
  forbidden: Forbidden,
): { kind: ScanFinding['kind']; message: string } | undefined {
  const finding = scanLines(lines, forbidden);
  if (!finding) return undefined;
  const index = finding.lineNumber - 2;
  const request = requests[index - base.length];
  const position = request
    ? `request ${request.n} (${request.request_id})`
    : index < 0
      ? 'the head'
      : 'the rows of the world';
  const message = `${position} would contain ${finding.kind}, so no file was written`;
  return { kind: finding.kind, message };
}

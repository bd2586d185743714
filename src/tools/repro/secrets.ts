import { type KnownTexts, REDACTED } from '../../redaction/redact.ts';
import type { Repro } from './format.ts';
import { mapTexts } from './map-texts.ts';
import { endSlice } from './slices.ts';

/** Secrets that a sandbox minted, also one that this one does not know. */
const MINTED = /dms_(?:sandbox|live)_\w+/g;
/** In a line, which is JSON, a JSON escape in a body begins with two backslashes; in JSON within JSON, with four. */
const ESCAPE = /(?:%|\\{1,4}u00)([0-9a-f]{2})/gi;
const BASE64 = /[\w+/-]{16,}/g;
/** Text before base64 may look like base64, so decoding begins at each of four offsets. */
const OFFSETS = [0, 1, 2, 3];

/** Returns a value without these secrets and without minted ones. */
export function withoutSecrets<T>(value: T, secrets: KnownTexts): T {
  // Without brackets: a URL with them is invalid, and a replay would reject it.
  return mapTexts(value, (text) =>
    secrets.redact(text).replace(MINTED, REDACTED).replaceAll(REDACTED, 'redacted'),
  );
}

/** Texts that must not be in a file. */
interface Forbidden {
  secrets: KnownTexts;
  personal: KnownTexts;
}

/** Finds the first line that has a forbidden text as it is, in percent escapes, in base64 or in UTF-16. */
export async function scanLines(
  lines: readonly string[],
  { secrets, personal }: Forbidden,
): Promise<{ line: number; kind: 'a secret' | 'personal data' } | undefined> {
  for (const [line, text] of lines.entries()) {
    await endSlice();
    for (const decoding of decodingsOf(text)) {
      const decoded = decoding.replaceAll('\0', '');
      if (decoded.search(MINTED) >= 0 || secrets.in(decoded).length > 0)
        return { line, kind: 'a secret' };
      if (personal.in(decoded).length > 0) return { line, kind: 'personal data' };
    }
  }
  return undefined;
}

function* decodingsOf(text: string): Generator<string> {
  const unescapedOnce = withoutEscapes(text);
  for (const unescaped of new Set([text, unescapedOnce, withoutEscapes(unescapedOnce)])) {
    yield unescaped;
    for (const [encoded] of unescaped.matchAll(BASE64)) {
      for (const offset of OFFSETS) {
        const decoded = Buffer.from(encoded.slice(offset), 'base64').toString('latin1');
        yield decoded;
        yield withoutEscapes(decoded);
      }
    }
  }
}

function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Returns why a file must not be written: which part has a forbidden text, but not the text. */
export async function findForbidden(
  { base, requests }: Repro,
  lines: readonly string[],
  forbidden: Forbidden,
): Promise<string | undefined> {
  const finding = await scanLines(lines, forbidden);
  if (!finding) return undefined;
  // The lines are the head, the base, the requests and the state.
  const request = requests[finding.line - 1 - base.length];
  const part = request ? `request ${request.n} (${request.requestId})` : 'the rows of the world';
  const hint =
    finding.kind === 'a secret'
      ? 'an encoding hides it; run `sandlot requests clear`, and repeat the problem without it'
      : 'pass --keep-personal-data to leave personal data in';
  return `${part} would contain ${finding.kind}, so no file was written; ${hint}`;
}

import { inOrder, type Lines, type MistakeText, type SigningMistake } from './mistake.ts';

const SIX_LINES =
  'Sign six lines in this order: METHOD, PATH, QUERY_STRING, TIMESTAMP, NONCE, BODY_SHA256_HEX; a line may be empty, never absent.';
const JOINED = 'Join the six lines with a single newline character (\\n, byte 10).';

export const LAYOUT_MISTAKES = {
  trailing_newline: {
    summary: 'The canonical string was signed with a newline at its end.',
    fix: 'Put newlines between the six lines only, none after the last.',
  },
  lines_joined_by_crlf: { summary: 'The lines were joined by CRLF.', fix: JOINED },
  lines_joined_by_backslash_n: {
    summary: 'The lines were joined by a backslash and the letter n.',
    fix: `${JOINED.slice(0, -1)}; in single quotes many languages leave \\n as it is.`,
  },
  lines_joined_by_nothing: { summary: 'The lines were joined by nothing.', fix: JOINED },
  lines_joined_by_space: { summary: 'The lines were joined by spaces.', fix: JOINED },
  lines_joined_by_pipe: { summary: 'The lines were joined by |.', fix: JOINED },
  lines_joined_otherwise: { summary: 'The lines were joined by another separator.', fix: JOINED },
  method_line_missing: { summary: 'The METHOD line is missing.', fix: SIX_LINES },
  path_line_missing: { summary: 'The PATH line is missing.', fix: SIX_LINES },
  query_line_missing: {
    summary: 'The QUERY_STRING line is missing.',
    fix: 'Keep the third line if there is no query; it is empty then.',
  },
  timestamp_line_missing: { summary: 'The TIMESTAMP line is missing.', fix: SIX_LINES },
  nonce_line_missing: { summary: 'The NONCE line is missing.', fix: SIX_LINES },
  body_hash_line_missing: { summary: 'The BODY_SHA256_HEX line is missing.', fix: SIX_LINES },
  several_lines_missing: { summary: 'Several of the six lines are missing.', fix: SIX_LINES },
  timestamp_and_nonce_swapped: {
    summary: 'The lines TIMESTAMP and NONCE were swapped.',
    fix: SIX_LINES,
  },
  lines_in_another_order: { summary: 'The lines were signed in another order.', fix: SIX_LINES },
} as const satisfies Record<string, MistakeText>;

type LayoutMistake = keyof typeof LAYOUT_MISTAKES;
type LayoutSigningMistake = SigningMistake<LayoutMistake>;

const SEPARATORS: readonly [slug: LayoutMistake, separator: string, detail?: string][] = [
  ['lines_joined_by_crlf', '\r\n'],
  ['lines_joined_by_backslash_n', '\\n'],
  ['lines_joined_by_nothing', ''],
  ['lines_joined_by_space', ' '],
  ['lines_joined_by_pipe', '|'],
  ['lines_joined_otherwise', ':', 'a colon'],
  ['lines_joined_otherwise', ',', 'a comma'],
  ['lines_joined_otherwise', '.', 'a full stop'],
  ['lines_joined_otherwise', '&', '&'],
  ['lines_joined_otherwise', ';', 'a semicolon'],
  ['lines_joined_otherwise', '\t', 'a tab'],
  ['lines_joined_otherwise', '\r', 'a carriage return'],
];
const LINE_NAMES = [
  'METHOD',
  'PATH',
  'QUERY_STRING',
  'TIMESTAMP',
  'NONCE',
  'BODY_SHA256_HEX',
] as const;
const MISSING_LINES: readonly LayoutMistake[] = [
  'method_line_missing',
  'path_line_missing',
  'query_line_missing',
  'timestamp_line_missing',
  'nonce_line_missing',
  'body_hash_line_missing',
];

export function* layoutMistakes(): Generator<LayoutSigningMistake> {
  yield { slugs: ['trailing_newline'], layOut: (lines) => `${lines.join('\n')}\n` };
  for (const [slug, separator, detail] of SEPARATORS) {
    const layOut = (lines: readonly string[]) => lines.join(separator);
    yield detail ? { slugs: [slug], layOut, detail, rare: true } : { slugs: [slug], layOut };
  }
  yield { slugs: ['lines_joined_by_crlf', 'trailing_newline'], layOut: endEachByCrlf, rare: true };
  for (const [index, slug] of MISSING_LINES.entries()) {
    yield { slugs: [slug], layOut: (lines) => lines.toSpliced(index, 1).join('\n') };
  }
}

function endEachByCrlf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\r\n`).join('');
}

/** Yields orders of the six lines, and one to four of them that are not all empty. */
export function* orderMistakes(canonical: Lines): Generator<LayoutSigningMistake> {
  yield { slugs: ['timestamp_and_nonce_swapped'], layOut: joinLines([0, 1, 2, 4, 3, 5]) };
  const isFilled = inOrder(canonical).map((line) => line !== '');
  for (let mask = 1; mask < 63; mask += 1) {
    const signed = [0, 1, 2, 3, 4, 5].filter((line) => mask & (1 << line));
    if (signed.length < 5 && signed.some((line) => isFilled[line])) {
      yield mistakeOf('several_lines_missing', signed, 'signed: ');
    }
  }
  for (const order of permutations([0, 1, 2, 3, 4, 5])) {
    yield mistakeOf('lines_in_another_order', order, '');
  }
}

function mistakeOf(
  slug: LayoutMistake,
  indexes: readonly number[],
  prefix: string,
): LayoutSigningMistake {
  const detail = prefix + indexes.map((line) => LINE_NAMES[line] ?? '').join(', ');
  return { slugs: [slug], layOut: joinLines(indexes), detail, rare: true };
}

function joinLines(indexes: readonly number[]): (lines: readonly string[]) => string {
  return (lines) => indexes.map((line) => lines[line] ?? '').join('\n');
}

function* permutations(items: readonly number[]): Generator<number[]> {
  if (items.length === 0) yield [];
  for (const [index, first] of items.entries()) {
    for (const tail of permutations(items.toSpliced(index, 1))) yield [first, ...tail];
  }
}

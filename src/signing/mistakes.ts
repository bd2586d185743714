import type { CanonicalParts } from './canonical.ts';
import { EMPTY_BODY_SHA256, sha256Hex } from './signature.ts';
import {
  choicesOf,
  jsonSpellings,
  queriesWithPlus,
  type Spelling,
  unencodedQueries,
  unsortedQueries,
} from './spellings.ts';

/** The six lines of a canonical string: the query is canonical, the method in upper case. */
export type Lines = Readonly<CanonicalParts>;

export interface ReceivedRequest {
  /** What its client should have signed. */
  lines: Lines;
  /** Raw query as sent, without `?`. */
  query: string;
  body: Uint8Array;
}

export interface MistakeText {
  /** Stable name. */
  slug: string;
  /** What the client did. */
  summary: string;
  /** What it should do. */
  fix: string;
}

/** A mistake in the canonical string. */
interface StringMistake extends MistakeText {
  /** The strings that a client with this mistake signs; `diagnose` skips the right one. */
  strings(request: ReceivedRequest): Iterable<Spelling>;
}

/** The six lines in the order of the specification. */
function inOrder(lines: Lines): string[] {
  return [lines.method, lines.path, lines.query, lines.timestamp, lines.nonce, lines.bodySha256];
}

/** Returns the canonical string of the specification: six lines joined by `\n`. */
export function canonicalOf(lines: Lines): string {
  return inOrder(lines).join('\n');
}

/** Puts other texts in the place of a line. */
function* replaceLine(
  { lines }: ReceivedRequest,
  name: keyof Lines,
  texts: Iterable<Spelling | string>,
): Generator<Spelling> {
  for (const spelling of texts) {
    const [text, detail] = typeof spelling === 'string' ? [spelling] : spelling;
    yield [canonicalOf({ ...lines, [name]: text }), detail];
  }
}

/** In the order of the specification. */
const LINE_NAMES = ['METHOD', 'PATH', 'QUERY_STRING', 'TIMESTAMP', 'NONCE', 'BODY_SHA256_HEX'];
const PREFIXES = [/^\/api\/partner\/v1/, /^\/api\/partner/, /^\/api/];
/** Characters of JSON that are hashed at most: indented, a body can be a hundred times as long. */
const MAX_SPELLED_CHARACTERS = 4_000_000;
const EMPTY_BODY_FIX =
  'Without a body, sign the SHA-256 of nothing, e3b0c442…b855; serialize only what is sent.';
const SIX_LINES =
  'Sign six lines in this order: METHOD, PATH, QUERY_STRING, TIMESTAMP, NONCE, BODY_SHA256_HEX; a line may be empty, never absent.';

/** The first match is named. With wrong keys, only the first strings are tried: mistakes of many strings come last. */
export const STRING_MISTAKES: readonly StringMistake[] = [
  {
    slug: 'method_lower_case',
    summary: 'The METHOD line was signed in lower case.',
    fix: 'Write the HTTP verb in upper case.',
    strings: (request) => replaceLine(request, 'method', [request.lines.method.toLowerCase()]),
  },
  {
    slug: 'trailing_newline',
    summary: 'The canonical string was signed with a newline at its end.',
    fix: 'Put newlines between the six lines only, none after the last.',
    strings: ({ lines }) => [[`${canonicalOf(lines)}\n`]],
  },
  {
    slug: 'lines_joined_by_crlf',
    summary: 'The lines were joined by CRLF.',
    fix: 'Join the six lines with a single newline character (\\n, byte 10).',
    strings: ({ lines }) => [[inOrder(lines).join('\r\n')], [`${inOrder(lines).join('\r\n')}\r\n`]],
  },
  {
    slug: 'path_without_prefix',
    summary: 'The PATH line was signed without its prefix.',
    fix: 'Sign the complete path of the URL, /api/partner and the version included.',
    strings: ({ lines }) =>
      PREFIXES.map((prefix) => [canonicalOf({ ...lines, path: lines.path.replace(prefix, '') })]),
  },
  {
    slug: 'path_with_query',
    summary: 'The PATH line was signed with the query appended.',
    fix: 'Sign the path alone, and put the canonical query on the line after it.',
    *strings({ lines, query }) {
      for (const appended of [query, lines.query]) {
        const wrongPath = { ...lines, path: `${lines.path}?${appended}` };
        for (const line of ['', lines.query, query])
          yield [canonicalOf({ ...wrongPath, query: line })];
        // Without a line for the query.
        yield [inOrder(wrongPath).toSpliced(2, 1).join('\n')];
      }
    },
  },
  {
    slug: 'query_left_out',
    summary: 'The QUERY_STRING line was left empty, although the URL has a query.',
    fix: 'Put the canonical query on the third line.',
    strings: (request) => replaceLine(request, 'query', ['']),
  },
  {
    slug: 'query_raw',
    summary: 'The query was signed as it is in the URL.',
    fix: 'Split it into pairs, decode, sort, and encode again by the canonical rules.',
    strings: (request) => replaceLine(request, 'query', [request.query, `?${request.query}`]),
  },
  {
    slug: 'query_unsorted',
    summary: 'The pairs of the query were signed in the order sent.',
    fix: 'Sort the pairs by key, then by value, before they are joined.',
    strings: (request) => replaceLine(request, 'query', unsortedQueries(request.query)),
  },
  {
    slug: 'query_marks_unencoded',
    summary: 'Some characters of the query were not percent-encoded.',
    fix: "Encode like a URI component, and ! ' ( ) * as %21 %27 %28 %29 %2A as well.",
    strings: (request) => replaceLine(request, 'query', unencodedQueries(request.query)),
  },
  {
    slug: 'query_space_as_plus',
    summary: 'The client signed + for a space in the query, or read + as a space.',
    fix: 'Encode a space as %20. A plus sign in a query is a plus sign, and is encoded as %2B.',
    strings: (request) => replaceLine(request, 'query', queriesWithPlus(request.query)),
  },
  {
    slug: 'body_hash_left_empty',
    summary: 'The BODY_SHA256_HEX line was left empty.',
    fix: 'End with the hash of the body; without a body that is the SHA-256 of nothing.',
    strings: (request) => replaceLine(request, 'bodySha256', ['']),
  },
  {
    slug: 'empty_body_as_braces',
    summary: 'An empty body was hashed as {}.',
    fix: EMPTY_BODY_FIX,
    strings: (request) => replaceEmptyBody(request, '{}'),
  },
  {
    slug: 'empty_body_as_quotes',
    summary: 'An empty body was hashed as "".',
    fix: EMPTY_BODY_FIX,
    strings: (request) => replaceEmptyBody(request, '""'),
  },
  {
    slug: 'body_ignored',
    summary: 'The hash of an empty body was signed, although the request has a body.',
    fix: 'Hash the bytes that are sent as the body.',
    strings: (request) => replaceLine(request, 'bodySha256', [EMPTY_BODY_SHA256]),
  },
  {
    slug: 'body_re_serialized',
    summary: 'The hashed body and the body sent are different spellings of the same JSON.',
    fix: 'Serialize once, hash those bytes and send those bytes.',
    strings: (request) => replaceLine(request, 'bodySha256', hashesOfSpellings(request)),
  },
  {
    slug: 'line_missing',
    summary: 'Lines of the canonical string are missing.',
    fix: SIX_LINES,
    *strings({ lines }) {
      for (const missing of choicesOf(LINE_NAMES)) {
        const present = inOrder(lines).filter((_, at) => !missing.includes(LINE_NAMES[at] ?? ''));
        yield [present.join('\n'), missing.join(', ')];
      }
    },
  },
  {
    slug: 'timestamp_milliseconds',
    summary: 'The TIMESTAMP line was signed in milliseconds.',
    fix: 'Read the clock once, in whole Unix seconds, and put that same text in the header and in the canonical string.',
    strings: (request) => replaceLine(request, 'timestamp', milliseconds(request.lines.timestamp)),
  },
  {
    slug: 'lines_in_another_order',
    summary: 'The lines were signed in another order.',
    fix: SIX_LINES,
    *strings({ lines }) {
      for (const order of permutations([0, 1, 2, 3, 4, 5])) {
        const line = inOrder(lines);
        yield [
          order.map((at) => line[at]).join('\n'),
          order.map((at) => LINE_NAMES[at]).join(', '),
        ];
      }
    },
  },
];

function replaceEmptyBody(request: ReceivedRequest, text: string): Iterable<Spelling> {
  return request.body.length > 0 ? [] : replaceLine(request, 'bodySha256', [sha256Hex(text)]);
}

function* hashesOfSpellings(request: ReceivedRequest): Generator<Spelling> {
  if (request.lines.bodySha256 === EMPTY_BODY_SHA256) return;
  let work = 0;
  for (const [text, detail] of jsonSpellings(Buffer.from(request.body).toString())) {
    work += text.length;
    if (work > MAX_SPELLED_CHARACTERS) return;
    yield [sha256Hex(text), detail];
  }
}

/** A client may divide by 1000 for the header only. */
function* milliseconds(timestamp: string): Generator<string> {
  if (!/^[1-9]\d{0,10}$/.test(timestamp)) return;
  const start = Number(timestamp) * 1000;
  for (let ms = start; ms < start + 1000; ms += 1) yield String(ms);
}

function* permutations(items: readonly number[]): Generator<number[]> {
  if (items.length === 0) yield [];
  for (const [index, first] of items.entries()) {
    for (const rest of permutations(items.toSpliced(index, 1))) yield [first, ...rest];
  }
}

/** Mistakes in the key of the HMAC; the first match is named: `secret_empty`, if the secret is empty when decoded as hex. */
export const SECRET_MISTAKES: readonly (MistakeText & {
  keys(secret: string): (string | Uint8Array)[];
})[] = [
  {
    slug: 'secret_with_white_space',
    summary: 'The secret was used with white space around it.',
    fix: 'Trim the newline or blank that came with the file or variable the secret is read from.',
    keys: (secret) => [`${secret}\n`, `${secret}\r`, `${secret}\r\n`, `${secret} `, ` ${secret}`],
  },
  {
    slug: 'secret_empty',
    summary: 'The key of the HMAC was empty.',
    fix: 'Use the secret as it is, as UTF-8 text. Check that it is set, and not decoded as hex, which makes it empty.',
    keys: () => [''],
  },
  {
    slug: 'secret_decoded_as_hex',
    summary: 'The secret was decoded as hex before use.',
    fix: 'Use the secret as it is, as UTF-8 text, its prefix included.',
    keys: (secret) => [Buffer.from(tailOf(secret), 'hex')],
  },
  {
    slug: 'secret_decoded_as_base64',
    summary: 'The secret was decoded as base64 before use.',
    fix: 'Use the secret as it is, as UTF-8 text, its prefix included.',
    // PHP and Ruby skip `_`, which is not a digit of base64.
    keys: (secret) => [secret, secret.replaceAll('_', ''), tailOf(secret)].map(fromBase64),
  },
];

const fromBase64 = (text: string) => Buffer.from(text, 'base64');
/** The part of a secret after its prefix. */
const tailOf = (secret: string) => secret.slice(secret.lastIndexOf('_') + 1);

export const OTHER_SECRET: MistakeText = {
  slug: 'secret_of_other_credential',
  summary: 'The request was signed with the secret of another credential.',
  fix: 'Use the secret that belongs to the key id in X-Service-Key-Id.',
};

/** Mistakes in the form of the signature header. */
export const FORM_MISTAKES = {
  v1_missing: {
    slug: 'v1_missing',
    summary: 'The signature was sent without v1= in front.',
    fix: 'Send v1= followed by the lower-case hex digest.',
  },
  signature_base64: {
    slug: 'signature_base64',
    summary: 'The signature was sent in base64.',
    fix: 'Write the digest in lower-case hex.',
  },
  signature_upper_case_hex: {
    slug: 'signature_upper_case_hex',
    summary: 'The signature was sent in upper-case hex.',
    fix: 'Write the digest in lower-case hex.',
  },
} as const satisfies Record<string, MistakeText>;

/** Every mistake that the diagnosis can name. */
export const MISTAKES: readonly MistakeText[] = [
  ...STRING_MISTAKES,
  ...SECRET_MISTAKES,
  OTHER_SECRET,
  ...Object.values(FORM_MISTAKES),
];

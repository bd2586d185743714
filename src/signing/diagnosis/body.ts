import { hash } from 'node:crypto';
import { EMPTY_BODY_SHA256, sha256Hex } from '../signature.ts';
import { jsonSpellings } from './body-spellings.ts';
import {
  digestWork,
  type Lines,
  type MistakeText,
  type SigningMistake,
  type WorkMeter,
} from './mistake.ts';

const EMPTY_BODY_FIX =
  'Without a body, sign the SHA-256 of nothing, e3b0c442…b855; serialize only what is sent.';

export const BODY_MISTAKES = {
  body_hash_left_empty: {
    summary: 'The BODY_SHA256_HEX line was left empty.',
    fix: 'End with the hash of the body; without a body that is the SHA-256 of nothing.',
  },
  body_instead_of_hash: {
    summary: 'The body itself was signed on the last line, not its hash.',
    fix: 'Put the lower-case hex SHA-256 of the body there.',
  },
  body_ignored: {
    summary: 'The hash of an empty body was signed, although the request has a body.',
    fix: 'Hash the bytes that are sent as the body.',
  },
  body_of_get_hashed: {
    summary: 'The body of a GET or HEAD request was hashed.',
    fix: 'For GET and HEAD sign the SHA-256 of an empty body, even if the request has one.',
  },
  empty_body_as_braces: { summary: 'An empty body was hashed as {}.', fix: EMPTY_BODY_FIX },
  empty_body_as_quotes: { summary: 'An empty body was hashed as "".', fix: EMPTY_BODY_FIX },
  empty_body_as_brackets: { summary: 'An empty body was hashed as [].', fix: EMPTY_BODY_FIX },
  empty_body_as_null: { summary: 'An empty body was hashed as null.', fix: EMPTY_BODY_FIX },
  empty_body_as_undefined: {
    summary: 'An empty body was hashed as the text of a missing value.',
    fix: EMPTY_BODY_FIX,
  },
  body_trailing_newline: {
    summary: 'The body signed and the body sent differ in white space at the end.',
    fix: 'Sign and send the same bytes; reading a file or a line may add or trim a newline.',
  },
  body_re_serialized: {
    summary: 'The hashed body and the body sent are different spellings of the same JSON.',
    fix: 'Serialize once, hash those bytes and send those bytes.',
  },
  body_stringified_twice: {
    summary: 'The body was hashed as a JSON string of itself.',
    fix: 'Do not serialize text that is JSON already.',
  },
  body_in_other_charset: {
    summary: 'The body was hashed in a different character encoding than it was sent in.',
    fix: 'Encode the body as UTF-8 without byte order mark, and hash those bytes.',
  },
  body_hash_upper_case: {
    summary: 'The body hash was signed in upper-case hex.',
    fix: 'Write the hash in lower-case hex.',
  },
  body_hash_base64: {
    summary: 'The body hash was signed in base64.',
    fix: 'Write the hash in lower-case hex.',
  },
  body_hash_other_algorithm: {
    summary: 'The body hash was made with another hash function.',
    fix: 'Hash the body with SHA-256.',
  },
} as const satisfies Record<string, MistakeText>;

type BodyMistake = keyof typeof BODY_MISTAKES;
type BodySigningMistake = SigningMistake<BodyMistake>;

const EMPTY_BODY_TEXTS: readonly [slug: BodyMistake, text: string][] = [
  ['empty_body_as_braces', '{}'],
  ['empty_body_as_quotes', '""'],
  ['empty_body_as_brackets', '[]'],
  ['empty_body_as_null', 'null'],
  ['empty_body_as_undefined', 'undefined'],
  ['empty_body_as_undefined', 'None'],
  ['body_trailing_newline', '\n'],
];

export function* bodyMistakes(
  right: Lines,
  body: Uint8Array,
  meter: WorkMeter,
): Generator<BodySigningMistake> {
  const hashing = (slug: BodyMistake, text: string | Uint8Array): BodySigningMistake => {
    meter.spend(digestWork(text.length));
    return { slugs: [slug], lines: { bodySha256: sha256Hex(text) } };
  };
  yield { slugs: ['body_hash_left_empty'], lines: { bodySha256: '' } };
  if (right.bodySha256 === EMPTY_BODY_SHA256) {
    for (const [slug, text] of EMPTY_BODY_TEXTS) yield hashing(slug, text);
    if (body.length > 0) yield hashing('body_of_get_hashed', body);
    yield* hashSpellings(right, new Uint8Array(), meter);
    return;
  }
  yield hashing('body_ignored', '');
  yield* hashSpellings(right, body, meter);
  meter.spend(digestWork(body.length));
  const text = utf8(body);
  if (text === undefined) return;
  yield { slugs: ['body_instead_of_hash'], lines: { bodySha256: text }, rare: true };
  for (const other of [text.trimEnd(), `${text}\n`, `${text}\r\n`]) {
    yield hashing('body_trailing_newline', other);
  }
  for (const spelling of jsonSpellings(text, meter)) {
    yield { ...hashing('body_re_serialized', spelling.text), ...spelling.about };
  }
  yield { ...hashing('body_stringified_twice', JSON.stringify(text)), rare: true };
  for (const charset of ['latin1', 'utf16le'] as const) {
    yield { ...hashing('body_in_other_charset', Buffer.from(text, charset)), rare: true };
  }
  yield { ...hashing('body_in_other_charset', `\ufeff${text}`), rare: true };
}

function* hashSpellings(
  right: Lines,
  body: Uint8Array,
  meter: WorkMeter,
): Generator<BodySigningMistake> {
  const digest = Buffer.from(right.bodySha256, 'hex');
  yield {
    slugs: ['body_hash_upper_case'],
    lines: { bodySha256: right.bodySha256.toUpperCase() },
  };
  yield { slugs: ['body_hash_base64'], lines: { bodySha256: digest.toString('base64') } };
  yield { slugs: ['body_hash_base64'], lines: { bodySha256: digest.toString('base64url') } };
  for (const name of ['sha1', 'sha384', 'sha512']) {
    meter.spend(2 * digestWork(body.length));
    yield {
      slugs: ['body_hash_other_algorithm'],
      lines: { bodySha256: hash(name, body, 'hex') },
      detail: name,
      rare: true,
    };
  }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

import { createHmac, hash } from 'node:crypto';
import { hmacSha256 } from '../signature.ts';
import type { MistakeText } from './mistake.ts';

export const SECRET_MISTAKES = {
  secret_of_other_credential: {
    summary: 'The request was signed with the secret of another credential.',
    fix: 'Use the secret that belongs to the key id in X-Service-Key-Id.',
  },
  secret_missing: {
    summary: 'The request was signed with an empty secret, or with the text of a missing value.',
    fix: 'See that the secret is set where the client reads it, and used as it is: decoded as hex it may come out empty.',
  },
  secret_is_key_id: {
    summary: 'The request was signed with the key id instead of the secret.',
    fix: 'Use the secret as the key; the key id is only a header.',
  },
  secret_decoded_as_hex: {
    summary: 'The secret was decoded as hex before use.',
    fix: 'Use the secret as it is, as UTF-8 text, its prefix included.',
  },
  secret_decoded_as_base64: {
    summary: 'The secret was decoded as base64 before use.',
    fix: 'Use the secret as it is, as UTF-8 text, its prefix included.',
  },
  secret_without_prefix: {
    summary: 'The secret was used without its prefix.',
    fix: 'Use the whole secret, prefix included.',
  },
  secret_with_white_space: {
    summary: 'The secret was used with white space around it.',
    fix: 'Trim the newline or blank that came with the file or variable the secret is read from.',
  },
  secret_quoted: {
    summary: 'The secret was used with quotation marks around it.',
    fix: 'Remove the quotation marks from the file or variable the secret is read from.',
  },
} as const satisfies Record<string, MistakeText>;

export interface WrongKey {
  slug: keyof typeof SECRET_MISTAKES;
  key: string | Uint8Array;
  detail?: string;
}

export interface OtherCredential {
  keyId: string;
  secret: string;
}

/** Wrong keys that clients derive from their secret, or use without one. */
export function* wrongKeys(secret: string, keyId: string | undefined): Generator<WrongKey> {
  for (const key of ['', 'undefined', 'null', 'None']) yield { slug: 'secret_missing', key };
  if (keyId) yield { slug: 'secret_is_key_id', key: keyId };
  for (const key of [`${secret}\n`, `${secret}\r\n`, `${secret} `, ` ${secret}`, secret.trim()]) {
    yield { slug: 'secret_with_white_space', key };
  }
  for (const key of [`"${secret}"`, `'${secret}'`]) yield { slug: 'secret_quoted', key };
  const tail = secret.slice(secret.lastIndexOf('_') + 1);
  if (tail !== secret) yield { slug: 'secret_without_prefix', key: tail };
  for (const text of new Set([secret, tail])) {
    yield { slug: 'secret_decoded_as_hex', key: Buffer.from(text, 'hex') };
    // Strict decoders, then those that skip other characters (PHP). Node reads - and _ as 62 and 63.
    for (const spelling of new Set([text, text.replace(/[^A-Za-z0-9+/]/g, '')])) {
      yield { slug: 'secret_decoded_as_base64', key: Buffer.from(spelling, 'base64') };
    }
  }
}

export function* otherCredentialKeys(credentials: Iterable<OtherCredential>): Generator<WrongKey> {
  for (const { keyId, secret } of credentials) {
    yield { slug: 'secret_of_other_credential', key: secret, detail: `that of ${keyId}` };
  }
}

export const DIGEST_MISTAKES = {
  v1_missing: {
    summary: 'The signature was sent without v1= in front.',
    fix: 'Send v1= followed by the lower-case hex digest.',
  },
  signature_prefix_other: {
    summary: 'The signature was sent with something other than v1= in front.',
    fix: 'Send v1= followed by the lower-case hex digest.',
  },
  signature_base64: {
    summary: 'The signature was sent in base64.',
    fix: 'Write the digest in lower-case hex.',
  },
  signature_base64url: {
    summary: 'The signature was sent in base64url.',
    fix: 'Write the digest in lower-case hex.',
  },
  signature_base64_of_hex: {
    summary: 'The signature was sent as base64 of the hex digest.',
    fix: 'Send the lower-case hex digest itself.',
  },
  signature_upper_case_hex: {
    summary: 'The signature was sent in upper-case hex.',
    fix: 'Write the digest in lower-case hex.',
  },
  sha256_without_hmac: {
    summary: 'The signature is a plain SHA-256, not an HMAC.',
    fix: 'Use HMAC-SHA256 with the secret as the key and the canonical string as the message.',
  },
  hmac_arguments_swapped: {
    summary: 'Key and message of the HMAC were swapped.',
    fix: 'The secret is the key, the canonical string is the message.',
  },
  hmac_other_hash: {
    summary: 'The HMAC was made with another hash function.',
    fix: 'Use HMAC-SHA256.',
  },
  canonical_string_hashed_first: {
    summary: 'The canonical string was hashed before the HMAC.',
    fix: 'Give the HMAC the canonical string itself.',
  },
  only_body_signed: {
    summary: 'Only the body was signed, as webhook deliveries are.',
    fix: 'Requests sign the six lines of the canonical string; the body alone is signed in webhooks only.',
  },
} as const satisfies Record<string, MistakeText>;

type DigestMistake = keyof typeof DIGEST_MISTAKES;

interface OtherDigest {
  slug: DigestMistake;
  digest: () => Buffer;
  detail?: string;
}

export function* otherDigests(secret: string, canonical: string): Generator<OtherDigest> {
  const slug = 'sha256_without_hmac';
  yield { slug, digest: () => sha256(secret + canonical), detail: 'of secret and string' };
  yield { slug, digest: () => sha256(canonical + secret), detail: 'of string and secret' };
  yield { slug, digest: () => sha256(`${secret}\n${canonical}`), detail: 'secret as first line' };
  yield { slug, digest: () => sha256(`${canonical}\n${secret}`), detail: 'secret as last line' };
  yield { slug, digest: () => sha256(canonical), detail: 'without the secret' };
  yield { slug: 'hmac_arguments_swapped', digest: () => hmacSha256(canonical, secret) };
  const hashed = sha256(canonical);
  const hashedFirst = 'canonical_string_hashed_first';
  yield { slug: hashedFirst, digest: () => hmacSha256(secret, hashed.toString('hex')) };
  yield { slug: hashedFirst, digest: () => hmacSha256(secret, hashed) };
  for (const name of ['sha1', 'sha384', 'sha512']) {
    const digest = () => createHmac(name, secret).update(canonical).digest();
    yield { slug: 'hmac_other_hash', digest, detail: name };
  }
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** A digest that a signature header can be read as, and the mistakes in its encoding. */
interface SignatureReading {
  digest: Buffer;
  slugs: readonly DigestMistake[];
}

const MAX_HEADER = 256;
const DIGEST_LENGTHS = new Set([20, 32, 48, 64]);

/** Returns every digest that the header value can be read as; none if it has no known encoding. */
export function readSignature(header: string): SignatureReading[] {
  if (header.length > MAX_HEADER) return [];
  const prefix = /^(?:[\w-]{1,16}[=:] ?){0,2}/.exec(header)?.[0] ?? '';
  const text = header.slice(prefix.length);
  const about: DigestMistake[] = [];
  if (prefix !== 'v1=') about.push(prefix === '' ? 'v1_missing' : 'signature_prefix_other');
  return [...readDigest(text)]
    .filter(({ digest }) => DIGEST_LENGTHS.has(digest.length))
    .map(({ digest, slugs }) => ({ digest, slugs: [...slugs, ...about] }));
}

/** An encoding counts only if it reproduces the text. */
function* readDigest(text: string): Generator<SignatureReading> {
  const fromHex = Buffer.from(text, 'hex');
  const hex = fromHex.toString('hex');
  if (hex === text) yield { digest: fromHex, slugs: [] };
  else if (hex.toUpperCase() === text) {
    yield { digest: fromHex, slugs: ['signature_upper_case_hex'] };
  }
  const decoded = Buffer.from(text, 'base64');
  const base64 = decoded.toString('base64');
  const base64url = decoded.toString('base64url');
  const inner = decoded.toString('latin1');
  if (base64 === text) {
    yield { digest: decoded, slugs: ['signature_base64'] };
    if (/^[\da-f]+$/i.test(inner)) {
      yield { digest: Buffer.from(inner, 'hex'), slugs: ['signature_base64_of_hex'] };
    }
  } else if (isPadded(base64url, text)) {
    yield { digest: decoded, slugs: ['signature_base64url'] };
  }
}

function isPadded(base64url: string, text: string): boolean {
  return text.startsWith(base64url) && /^=*$/.test(text.slice(base64url.length));
}

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

export function* otherCredentialKeys(others: Iterable<OtherCredential>): Generator<WrongKey> {
  for (const { keyId, secret } of others) {
    yield { slug: 'secret_of_other_credential', key: secret, detail: `that of ${keyId}` };
  }
}

import type { DigestMistake } from './digest.ts';

/** A digest that a signature header may stand for, and what is wrong with how it was written. */
export interface Claim {
  digest: Buffer;
  slugs: readonly DigestMistake[];
}

const MAX_HEADER = 256;
const DIGEST_LENGTHS = new Set([20, 32, 48, 64]);

/** Every digest the header value can be read as; none when it is not a digest in any known writing. */
export function readSignature(header: string): Claim[] {
  if (header.length > MAX_HEADER) return [];
  const prefix = /^(?:[\w-]{1,16}[=:] ?){0,2}/.exec(header)?.[0] ?? '';
  const text = header.slice(prefix.length);
  const about: DigestMistake[] = [];
  if (prefix !== 'v1=') about.push(prefix === '' ? 'v1_missing' : 'signature_prefix_other');
  return [...readDigest(text)]
    .filter(({ digest }) => DIGEST_LENGTHS.has(digest.length))
    .map(({ digest, slugs }) => ({ digest, slugs: [...slugs, ...about] }));
}

/** Only writings that give back the very same text count. */
function* readDigest(text: string): Generator<Claim> {
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
  } else if (base64url === text || base64url === text.replace(/=+$/, '')) {
    yield { digest: decoded, slugs: ['signature_base64url'] };
  }
}

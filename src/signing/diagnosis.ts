import { canonicalQuery, unlessMalformed } from './canonical.ts';
import {
  canonicalOf,
  FORM_MISTAKES,
  type MistakeText,
  OTHER_SECRET,
  type ReceivedRequest,
  SECRET_MISTAKES,
  STRING_MISTAKES,
} from './mistakes.ts';
import { bodySha256, hmacSha256 } from './signature.ts';

export interface DiagnosisInput {
  method: string;
  path: string;
  /** Raw query without `?`; may be empty. */
  query: string;
  timestamp: string;
  nonce: string;
  body: Uint8Array;
  signature: string;
  secret: string;
  /** Secrets of other credentials; called only if no single mistake with `secret` matches. */
  otherCredentials?: (() => Iterable<{ keyId: string; secret: string }>) | undefined;
}

export interface Diagnosis {
  /** Stable name of the mistake, e.g. `query_unsorted`. */
  mistake: string;
  /** Further mistakes, if only several together give the signature. */
  also: readonly string[];
  summary: string;
  fix: string;
  /** The string that the client signed, if it is not the canonical string. Never a secret. */
  clientCanonical?: string;
}

interface NamedMistake extends MistakeText {
  detail?: string | undefined;
}

/** Bytes in the HMACs of a diagnosis at most: some 20 ms. Not timed, so that each run gives the same result. */
const MAX_WORK_BYTES = 8_000_000;
/** Work of an HMAC of a short string, in bytes. */
const HMAC_WORK = 1_000;
/** With a longer query or body, only mistakes in the key and in the header are tried. */
const MAX_QUERY = 4_096;
const MAX_BODY = 32_768;
/** Each wrong key is combined with this many of the first wrong strings. */
const MAX_COMBINED = 120;

/**
 * Names the mistake, or mistakes, that give exactly the signature received. Does not throw.
 * @returns undefined if none that was tried gives it, the signature is right, or the query is malformed
 */
export function diagnose(input: DiagnosisInput): Diagnosis | undefined {
  const readings = readSignature(input.signature);
  const request = readings.length > 0 ? receivedRequest(input) : undefined;
  if (!request) return undefined;
  let work = 0;
  for (const { key, string, mistakes } of attempts(input, request)) {
    work += HMAC_WORK + string.length;
    if (work > MAX_WORK_BYTES) return undefined;
    const digest = hmacSha256(key, string);
    const reading = readings.find((candidate) => candidate.digest.equals(digest));
    if (reading) return describe([...mistakes, ...reading.mistakes], string, request);
  }
  return undefined;
}

interface Attempt {
  key: string | Uint8Array;
  string: string;
  mistakes: readonly NamedMistake[];
}

/** The strings and keys of mistaken clients: likely ones first. */
function* attempts(input: DiagnosisInput, request: ReceivedRequest): Generator<Attempt> {
  const { secret } = input;
  const canonical = canonicalOf(request.lines);
  yield { key: secret, string: canonical, mistakes: [] };
  const wrongStrings: Attempt[] = [];
  const isLong = input.query.length > MAX_QUERY || input.body.length > MAX_BODY;
  for (const mistake of isLong ? [] : STRING_MISTAKES) {
    for (const [string, detail] of mistake.strings(request)) {
      if (string === canonical) continue;
      wrongStrings.push({ key: secret, string, mistakes: [{ ...mistake, detail }] });
    }
  }
  yield* wrongStrings;
  const wrongKeys: { key: string | Uint8Array; mistake: NamedMistake }[] = [];
  for (const wrongKey of wrongKeysOf(input)) {
    wrongKeys.push(wrongKey);
    yield { key: wrongKey.key, string: canonical, mistakes: [wrongKey.mistake] };
  }
  for (const { key, mistake } of wrongKeys) {
    for (const { string, mistakes } of wrongStrings.slice(0, MAX_COMBINED)) {
      yield { key, string, mistakes: [mistake, ...mistakes] };
    }
  }
}

/** The keys of clients that take the secret in another form, or that of another credential. */
function* wrongKeysOf({ secret, otherCredentials }: DiagnosisInput) {
  for (const mistake of SECRET_MISTAKES) {
    for (const key of mistake.keys(secret)) yield { key, mistake };
  }
  for (const { keyId, secret: key } of otherCredentials?.() ?? []) {
    yield { key, mistake: { ...OTHER_SECRET, detail: `that of ${keyId}` } };
  }
}

/** Returns undefined for a malformed query, with which a request is rejected anyway. */
function receivedRequest(input: DiagnosisInput): ReceivedRequest | undefined {
  const { method, path, timestamp, nonce, body } = input;
  const query = unlessMalformed(() => canonicalQuery(input.query));
  if (query === undefined) return undefined;
  const hash = bodySha256(method, body);
  const lines = { method: method.toUpperCase(), path, query, timestamp, nonce, bodySha256: hash };
  return { lines, query: input.query, body };
}

/** A digest that a signature header can be read as, and the mistakes in its form. */
interface SignatureReading {
  digest: Buffer;
  mistakes: readonly NamedMistake[];
}

const DIGEST_BYTES = 32;
const MAX_HEADER = 128;

function readSignature(header: string): SignatureReading[] {
  if (header.length > MAX_HEADER) return [];
  const isPrefixed = header.startsWith('v1=');
  const text = isPrefixed ? header.slice(3) : header;
  const mistakes = isPrefixed ? [] : [FORM_MISTAKES.v1_missing];
  const hex = Buffer.from(text, 'hex');
  const base64 = Buffer.from(text, 'base64');
  const readings: SignatureReading[] = [];
  // A form counts only if it gives the text again.
  if (hex.toString('hex') === text) readings.push({ digest: hex, mistakes });
  else if (hex.toString('hex').toUpperCase() === text) {
    readings.push({ digest: hex, mistakes: [FORM_MISTAKES.signature_upper_case_hex, ...mistakes] });
  }
  const unpadded = text.replace('=', '').replaceAll('+', '-').replaceAll('/', '_');
  if (base64.toString('base64url') === unpadded) {
    readings.push({ digest: base64, mistakes: [FORM_MISTAKES.signature_base64, ...mistakes] });
  }
  return readings.filter(({ digest }) => digest.length === DIGEST_BYTES);
}

function describe(
  mistakes: readonly NamedMistake[],
  string: string,
  { lines }: ReceivedRequest,
): Diagnosis | undefined {
  const [first, ...also] = mistakes;
  if (!first) return undefined;
  const sentence = ({ summary, detail }: NamedMistake) =>
    detail ? `${summary.slice(0, -1)} (${detail}).` : summary;
  return {
    mistake: first.slug,
    also: also.map(({ slug }) => slug),
    summary: mistakes.map(sentence).join(' '),
    fix: mistakes.map(({ fix }) => fix).join(' '),
    ...(string !== canonicalOf(lines) && { clientCanonical: string }),
  };
}

import { canonicalQuery, MalformedQueryError } from './canonical.ts';
import {
  canonicalOf,
  FORM_MISTAKES,
  type Lines,
  type Mistake,
  OTHER_SECRET,
  SECRET_MISTAKES,
  type SignedRequest,
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
  /** Secrets of other credentials; called only if the right secret does not match. */
  otherCredentials?: (() => Iterable<OtherCredential>) | undefined;
}

export interface OtherCredential {
  keyId: string;
  secret: string;
}

interface Diagnosis {
  /** Stable name of the mistake, e.g. `query_unsorted`. */
  mistake: string;
  /** Further mistakes, if only several together give the signature. */
  also: readonly string[];
  summary: string;
  fix: string;
  /** The string that the client signed, if it is not the canonical string. Never a secret. */
  clientCanonical?: string;
}

export interface DiagnosisResult {
  /** Undefined if no known mistake gives the signature, or the query is malformed. */
  diagnosis: Diagnosis | undefined;
  /** Whether each mistake and each secret was tried: large requests and many credentials exceed the limit of work. */
  isComplete: boolean;
}

interface NamedMistake {
  slug: string;
  summary: string;
  fix: string;
  detail?: string | undefined;
}

/** Bytes that a diagnosis hashes or writes at most: some 20 ms. Counted, not timed, so that each run gives the same result. */
const MAX_WORK_BYTES = 8_000_000;
/** Work of an HMAC of a short string, in bytes. */
const HMAC_WORK = 1_000;
/** Longer queries and bodies are not written in other ways. */
const MAX_QUERY = 4_096;
const MAX_BODY = 32_768;
/** Other credentials that are combined with a second mistake. */
const MAX_COMBINED = 6;

/** Names the mistake in a signature, only if the same mistake gives the signature received. Does not throw. */
export function diagnose(input: DiagnosisInput): DiagnosisResult {
  const readings = readSignature(input.signature);
  const request = readings.length > 0 ? signedRequest(input) : undefined;
  if (!request) return { diagnosis: undefined, isComplete: true };
  const isShort = input.query.length <= MAX_QUERY && input.body.length <= MAX_BODY;
  let work = 0;
  for (const { key, string, mistakes } of attempts(input, request, isShort)) {
    work += HMAC_WORK + string.length;
    if (work > MAX_WORK_BYTES) return { diagnosis: undefined, isComplete: false };
    const digest = hmacSha256(key, string);
    const reading = readings.find((reading) => reading.digest.equals(digest));
    if (reading) {
      const diagnosis = describe([...mistakes, ...reading.mistakes], string, request);
      return { diagnosis, isComplete: true };
    }
  }
  return { diagnosis: undefined, isComplete: isShort };
}

interface Attempt {
  key: string | Uint8Array;
  string: string;
  mistakes: readonly NamedMistake[];
}

/** The signatures of mistaken clients: likely ones first. */
function* attempts(
  { secret, otherCredentials }: DiagnosisInput,
  request: SignedRequest,
  isShort: boolean,
): Generator<Attempt> {
  const right = canonicalOf(request.lines);
  const keys: { key: string | Uint8Array; mistake: NamedMistake }[] = SECRET_MISTAKES.flatMap(
    (mistake) => mistake.keys(secret).map((key) => ({ key, mistake })),
  );
  yield { key: secret, string: right, mistakes: [] };
  const strings: { string: string; mistake: NamedMistake }[] = [];
  for (const { string, mistake } of isShort ? mistakenStrings(request) : []) {
    if (!mistake.isLong) strings.push({ string, mistake });
    yield { key: secret, string, mistakes: [mistake] };
  }
  for (const { key, mistake } of keys) yield { key, string: right, mistakes: [mistake] };
  const others: typeof keys = [];
  for (const { keyId, secret: other } of otherCredentials?.() ?? []) {
    const mistake = { ...OTHER_SECRET, detail: `that of ${keyId}` };
    others.push({ key: other, mistake });
    yield { key: other, string: right, mistakes: [mistake] };
  }
  for (const { key, mistake } of [...keys, ...others.slice(0, MAX_COMBINED)]) {
    for (const { string, mistake: second } of strings) {
      yield { key, string, mistakes: [mistake, second] };
    }
  }
}

/** Each wrong string once. */
function* mistakenStrings(
  request: SignedRequest,
): Generator<{ string: string; mistake: Mistake & NamedMistake }> {
  const seen = new Set([canonicalOf(request.lines)]);
  for (const mistake of STRING_MISTAKES) {
    for (const [string, detail] of mistake.strings(request)) {
      if (seen.has(string)) continue;
      seen.add(string);
      yield { string, mistake: { ...mistake, detail } };
    }
  }
}

/** Returns undefined for a malformed query, which is rejected anyway. */
function signedRequest(input: DiagnosisInput): SignedRequest | undefined {
  const { method, path, query, timestamp, nonce, body } = input;
  try {
    const lines: Lines = {
      method: method.toUpperCase(),
      path,
      query: canonicalQuery(query),
      timestamp,
      nonce,
      bodySha256: bodySha256(method, body),
    };
    return { lines, query, body };
  } catch (error) {
    if (error instanceof MalformedQueryError) return undefined;
    throw error;
  }
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
  if (base64.toString('base64') === text || base64.toString('base64url') === text) {
    readings.push({ digest: base64, mistakes: [FORM_MISTAKES.signature_base64, ...mistakes] });
  }
  return readings.filter(({ digest }) => digest.length === DIGEST_BYTES);
}

function describe(
  mistakes: readonly NamedMistake[],
  string: string,
  { lines }: SignedRequest,
): Diagnosis | undefined {
  const [first, ...also] = mistakes;
  if (!first) return undefined;
  const sentence = ({ summary, detail }: NamedMistake) =>
    detail ? `${summary.slice(0, -1)} (${detail}).` : summary;
  return {
    mistake: first.slug,
    also: also.map(({ slug }) => slug),
    summary: mistakes.map(sentence).join(' '),
    fix: [...new Set(mistakes.map(({ fix }) => fix))].join(' '),
    ...(string !== canonicalOf(lines) && { clientCanonical: string }),
  };
}

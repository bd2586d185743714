import { splitTarget } from '../../../signing/canonical.ts';
import { SIGNING_HEADERS } from '../../../signing/signature.ts';
import { type CurlRequest, CurlSyntaxError, parseCurl } from '../../curl/parse-curl.ts';
import { UsageError } from '../../failures.ts';
import type { CommandLineIo } from '../../io.ts';
import { readBytes, readFile } from '../../read-data.ts';

/** A request with the signature that somebody claims for it; a header that is not there is undefined. */
export interface Claim {
  method: string;
  path: string;
  query: string;
  keyId: string | undefined;
  timestamp: string | undefined;
  nonce: string | undefined;
  signature: string | undefined;
  body: Buffer;
  /** Address the client knows the server by, when it is known. */
  baseUrl: string | undefined;
  /** Headers that the request lacks, by name. */
  missing: string[];
}

export interface VerifyOptions {
  curl: string | undefined;
  har: string | undefined;
  entry: number | undefined;
  method: string | undefined;
  path: string | undefined;
  timestamp: string | undefined;
  nonce: string | undefined;
  signature: string | undefined;
  data: string | undefined;
  keyId: string | undefined;
  secret: string | undefined;
}

/** @throws UsageError when a part is not given */
export async function claimFromOptions(io: CommandLineIo, options: VerifyOptions): Promise<Claim> {
  const { method, path, timestamp, nonce, signature, data, keyId } = options;
  const parts = { method, path, timestamp, nonce, signature };
  const absent = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [`--${name}`] : [],
  );
  if (method === undefined || path === undefined || absent.length > 0) {
    throw new UsageError(`expected ${absent.join(', ')} as well, or a request with --curl`);
  }
  if (!path.startsWith('/')) throw new UsageError('--path: expected a path that starts with /');
  return {
    method,
    ...splitTarget(path),
    keyId,
    timestamp,
    nonce,
    signature,
    body: data === undefined ? Buffer.alloc(0) : await readBytes(io, '--data', data),
    baseUrl: undefined,
    missing: [],
  };
}

/** @throws UsageError when the line is not understood, or parts of it are given twice */
export async function claimFromCurl(
  io: CommandLineIo,
  given: string,
  options: VerifyOptions,
): Promise<Claim> {
  rejectParts(options, 'the --curl line says that');
  const isFile = given === '-' || given.startsWith('@');
  const line = isFile ? await readFile(io, '--curl', given.replace(/^@/, '')) : given;
  try {
    const request = await parseCurl(line.toString(), (file) => readFile(io, '--curl', file));
    return claimOf(request, options.keyId);
  } catch (error) {
    if (error instanceof CurlSyntaxError) throw new UsageError(`--curl: ${error.message}`);
    throw error;
  }
}

/** @throws UsageError when a part is given that a recorded request has already */
export function rejectParts(options: VerifyOptions, why: string): void {
  for (const name of ['method', 'path', 'timestamp', 'nonce', 'signature', 'data'] as const) {
    if (options[name] !== undefined) throw new UsageError(`--${name}: ${why}`);
  }
}

/** What a recorded request claims. @param keyId takes the place of that in its header */
export function claimOf(request: CurlRequest, keyId: string | undefined): Claim {
  const { method, path, query, body, origin } = request;
  const header = (name: string) => request.headers.get(name.toLowerCase()) || undefined;
  return {
    method,
    path,
    query,
    keyId: keyId ?? header(SIGNING_HEADERS.keyId),
    timestamp: header(SIGNING_HEADERS.timestamp),
    nonce: header(SIGNING_HEADERS.nonce),
    signature: header(SIGNING_HEADERS.signature),
    body,
    baseUrl: origin || undefined,
    missing: Object.values(SIGNING_HEADERS).filter((name) => header(name) === undefined),
  };
}

import { splitTarget } from '../../../signing/canonical.ts';
import { SIGNING_HEADERS } from '../../../signing/signature.ts';
import { UsageError, usageFrom } from '../../errors.ts';
import { type CurlRequest, CurlSyntaxError, parseCurl } from '../../parsers/curl.ts';
import { readBytes, readFile } from '../../read-data.ts';
import type { VerifyCall } from './options.ts';

/** A request and its signature; a missing header is undefined. */
export interface RequestToVerify {
  method: string;
  path: string;
  query: string;
  keyId: string | undefined;
  timestamp: string | undefined;
  nonce: string | undefined;
  signature: string | undefined;
  body: Buffer;
  /** Address of the server as the client knows it, if known. */
  baseUrl: string | undefined;
  missing: string[];
}

type VerifyOptions = VerifyCall['options'];

/** @throws UsageError if an option is missing */
export async function requestFromOptions({ io, options }: VerifyCall): Promise<RequestToVerify> {
  const { method, path, timestamp, nonce, signature, data, keyId } = options;
  const parts = { method, path, timestamp, nonce, signature };
  const absent = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [`--${name}`] : [],
  );
  if (method === undefined || path === undefined || absent.length > 0) {
    throw new UsageError(`missing ${absent.join(', ')}; or pass a request with --curl`);
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

/** @throws UsageError if the command is invalid, or an option repeats a part of it */
export async function requestFromCurl(
  { io, options }: VerifyCall,
  given: string,
): Promise<RequestToVerify> {
  assertNoParts(options, 'the --curl command has it');
  const isFile = given === '-' || given.startsWith('@');
  const line = isFile ? await readFile(io, '--curl', given.replace(/^@/, '')) : given;
  try {
    const request = await parseCurl(line.toString(), (file) => readFile(io, '--curl', file));
    return signedRequestOf(request, options.keyId);
  } catch (error) {
    throw usageFrom(error, CurlSyntaxError, '--curl: ');
  }
}

/** @throws UsageError if an option repeats a part of a recorded request */
export function assertNoParts(options: VerifyOptions, why: string): void {
  for (const name of ['method', 'path', 'timestamp', 'nonce', 'signature', 'data'] as const) {
    if (options[name] !== undefined) throw new UsageError(`--${name}: ${why}`);
  }
}

/** Reads the signing headers of a recorded request. @param keyId overrides that of the header */
export function signedRequestOf(request: CurlRequest, keyId: string | undefined): RequestToVerify {
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

import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { Bytes } from '../../src/client/fetch.ts';
import type { InProcessSandbox, Key, PartnerRequest } from '../../src/index.ts';

export const SIGNING_HEADERS = ['Key-Id', 'Timestamp', 'Nonce', 'Signature'] as const;
export type SigningHeader = (typeof SIGNING_HEADERS)[number];

/** How a request departs from a rightly signed one. */
export interface Forgery {
  key?: Key;
  /** Of the header and of what is signed. */
  timestamp?: string | number;
  nonce?: string;
  /** What is signed instead of what is sent. */
  signed?: { method?: string; path?: string; query?: string; body?: string; nonce?: string };
  /** Makes the header's value of the right one. */
  signature?: (right: string) => string;
  /** Headers left out. */
  without?: readonly SigningHeader[];
  /** Headers sent empty. */
  empty?: readonly SigningHeader[];
  /** Real time of the client, Unix ms. */
  now?: number;
}

/** A request with its headers, signed by the specification's own words instead of the code under test. */
export interface ForgedRequest {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string | Bytes | undefined;
  /** The right hex signature: no response may hold it. */
  right: string;
}

/**
 * Signs as the specification says, but for the departures asked for. The query is taken as canonical
 * unless `signed.query` says otherwise.
 */
export function forge(key: Key, request: PartnerRequest, forgery: Forgery = {}): ForgedRequest {
  const { key_id, secret } = forgery.key ?? key;
  const { method, target } = request;
  const body = bodyOf(request);
  const timestamp = String(forgery.timestamp ?? Math.floor((forgery.now ?? Date.now()) / 1_000));
  const nonce = forgery.nonce ?? randomUUID();
  const [path = '', query = ''] = target.split('?', 2);
  const right = hmac(secret, { method, path, query, body, timestamp, nonce });
  const made = hmac(secret, { method, path, query, body, timestamp, nonce, ...forgery.signed });
  const values: Record<SigningHeader, string> = {
    'Key-Id': key_id,
    Timestamp: timestamp,
    Nonce: nonce,
    Signature: forgery.signature ? forgery.signature(made) : `v1=${made}`,
  };
  const headers: Record<string, string> = {};
  for (const name of SIGNING_HEADERS) {
    if (forgery.without?.includes(name)) continue;
    headers[`X-Service-${name}`] = forgery.empty?.includes(name) ? '' : values[name];
  }
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  return { method, target, headers: { ...headers, ...request.headers }, body, right };
}

/** Sends a forged request by the default credential, in process. */
export function sendForged(
  sandbox: InProcessSandbox,
  request: PartnerRequest,
  forgery: Forgery = {},
): Promise<Response> {
  return sendRaw(sandbox, forge(sandbox.credential, request, forgery));
}

export function sendRaw(
  sandbox: InProcessSandbox,
  { method, target, headers, body }: Omit<ForgedRequest, 'right'>,
): Promise<Response> {
  return sandbox.fetch(target, { method, headers, ...(body !== undefined && { body }) });
}

interface Signed {
  method: string;
  path: string;
  query: string;
  timestamp: string;
  nonce: string;
  body: string | Bytes | undefined;
}

function hmac(secret: string, { method, path, query, timestamp, nonce, body }: Signed): string {
  const bodyless = method === 'GET' || method === 'HEAD' || body === undefined;
  const bodyHash = createHash('sha256')
    .update(bodyless ? '' : body)
    .digest('hex');
  return createHmac('sha256', secret)
    .update([method, path, query, timestamp, nonce, bodyHash].join('\n'))
    .digest('hex');
}

function bodyOf({ body }: PartnerRequest): string | Bytes | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

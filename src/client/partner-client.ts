import { randomUUID } from 'node:crypto';
import { targetAsSent } from '../signing/canonical.ts';
import { signedHeaders } from '../signing/signature.ts';
import { VERSION } from '../version.ts';
import type { Bytes, Fetch } from './fetch.ts';

export interface Key {
  key_id: string;
  secret: string;
}

export interface PartnerRequest {
  method: string;
  /** Path and query for `fetch`. */
  target: string;
  /** An object is sent as JSON. */
  body?: string | Bytes | object | undefined;
  headers?: Record<string, string> | undefined;
  /** By default, a new one. */
  nonce?: string | undefined;
}

export interface SignedRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | Bytes | undefined;
}

/**
 * Signs a request (specification, "Authentication"). Its `headers` override those of the signature.
 * @param baseUrl without a trailing slash
 */
export function signPartnerRequest(
  baseUrl: string,
  key: Key,
  request: PartnerRequest,
  realNow: number,
): SignedRequest {
  const body = serialize(request.body);
  const { method, nonce = randomUUID() } = request;
  const target = targetAsSent(request.target);
  const timestamp = Math.floor(realNow / 1_000);
  const signed = signedHeaders(key, { method, target, body, timestamp, nonce });
  const content = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const headers = mergeHeaders(content, signed, request.headers);
  return { url: `${baseUrl}${target}`, method, headers, body };
}

const USER_AGENT = `sandlot/${VERSION}`;

/** Sends a signed request, with the `User-Agent` of sandlot unless it has one. Does not follow redirects. */
export function sendSigned(fetch: Fetch, { url, method, body, ...signed }: SignedRequest) {
  const headers = mergeHeaders({ 'User-Agent': USER_AGENT }, signed.headers);
  return fetch(url, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) });
}

function serialize(body: PartnerRequest['body']): string | Bytes | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

/** Merges headers, whose names have no case. Later ones replace earlier ones. */
function mergeHeaders(
  ...lists: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  const merged = new Map<string, [name: string, value: string]>();
  for (const headers of lists) {
    for (const header of Object.entries(headers ?? {})) merged.set(header[0].toLowerCase(), header);
  }
  return Object.fromEntries(merged.values());
}

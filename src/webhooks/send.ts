import { lookup } from 'node:dns';
import http from 'node:http';
import type { LookupFunction } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Runtime } from '../kernel/runtime.ts';
import type { KnownTexts } from '../redaction/redact.ts';
import { signWebhook, WEBHOOK_SIGNATURE_HEADER } from '../signing/signature.ts';
import { VERSION } from '../version.ts';
import { isForbiddenAddress, requireWebhookUrl } from './url-policy.ts';

/** The outcome of an attempt. Only `ok`, which is the status 200, is success (specification, "Delivery rules"). */
export interface SendResult {
  /** `ok`, `status 503`, `timeout`, `connection_refused`, `dns_failed`, `forbidden_address` … */
  outcome: string;
  httpStatus: number | null;
  /** In real time. */
  durationMs: number;
  /** The beginning of the response body, to show to people. */
  response: string | null;
  /** The Server header; `LISTEN_SERVER` shows a receiver of sandlot. */
  server?: string | undefined;
}

export interface SendRequest {
  url: string;
  secret: string;
  body: string;
  /** Replaces the valid signature, to test how a receiver reacts to an invalid one. */
  signature?: string | undefined;
}

export type Send = (request: SendRequest) => Promise<SendResult>;

/** The Server header of `webhooks listen`. Deliveries to it are not evidence about an integration. */
export const LISTEN_SERVER = 'sandlot-listen';

export interface Sender {
  send: Send;
  close(): void;
}

/** Returns the result of an attempt whose response, if there was one, is lost on the way back. */
export function withoutResponse(result: SendResult): SendResult {
  return { ...result, outcome: 'connection_reset', httpStatus: null, response: null };
}

/** Wraps a sender so that results have the beginning of the response, without secrets. */
export function withRedactedResponses(send: Send, secrets: Pick<KnownTexts, 'redact'>): Send {
  return async (request) => shownAttempt(await send(request), secrets);
}

/** Removes the secrets from the response of an attempt, and then all but its beginning. */
export function shownAttempt<Attempt extends { response: string | null }>(
  attempt: Attempt,
  secrets: Pick<KnownTexts, 'redact'>,
): Attempt {
  const { response } = attempt;
  if (response === null) return attempt;
  const isWhole = response.length < MAX_KEPT_CHARACTERS;
  const end = isWhole ? MAX_SHOWN_CHARACTERS : -MAX_SHOWN_CHARACTERS;
  // A cut may have split an emoji.
  return { ...attempt, response: secrets.redact(response).slice(0, end).toWellFormed() };
}

/** Specification, "Delivery rules". */
export const RECEIVER_TIMEOUT_MS = 5_000;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 64 * 1024;
/** How much of a response body is kept. */
export const MAX_KEPT_CHARACTERS = 2_000;
/** How much of it is shown: half, because the end of a response that is cut may be a part of a secret. */
const MAX_SHOWN_CHARACTERS = MAX_KEPT_CHARACTERS / 2;
const FORBIDDEN_ADDRESS_CODE = 'FORBIDDEN_ADDRESS';

const OUTCOME_BY_ERROR_CODE: Record<string, string> = {
  ABORT_ERR: 'connection_reset',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ENOTFOUND: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'timeout',
  [FORBIDDEN_ADDRESS_CODE]: 'forbidden_address',
};

/**
 * Creates a sender that uses one connection per request. If a receiver closes a reused connection, it is unknown
 * whether it has read the request. A connection over loopback costs about 0.2 ms.
 */
export function createSender(runtime: Runtime): Sender {
  const closing = new AbortController();
  return {
    send: (request) => postWebhook(request, runtime, closing.signal),
    close: () => closing.abort(),
  };
}

function postWebhook(
  { url, secret, body, signature }: SendRequest,
  runtime: Runtime,
  closeSignal: AbortSignal,
): Promise<SendResult> {
  const startedAt = runtime.monotonic();
  return new Promise((resolve) => {
    let request: http.ClientRequest | undefined;
    let httpStatus: number | null = null;
    let server: string | undefined;
    let responseText = '';
    /** The first call decides the result. @param failure the outcome if no status was received; not needed if one was */
    const finish = (failure = 'connection_reset') => {
      cancelTimeout();
      resolve({
        // The status alone decides, even if the body is truncated or never ends.
        outcome: httpStatus === null ? failure : outcomeOfStatus(httpStatus),
        httpStatus,
        durationMs: Math.round(runtime.monotonic() - startedAt),
        response: httpStatus === null ? null : responseText,
        server,
      });
    };
    const cancelTimeout = runtime.after(RECEIVER_TIMEOUT_MS, () => {
      finish('timeout');
      request?.destroy();
    });
    try {
      const receiver = requireWebhookUrl(url);
      // TLS is loaded on first use: a start does not need it.
      const isHttps = receiver.protocol === 'https:';
      const { request: startRequest } = isHttps ? process.getBuiltinModule('node:https') : http;
      request = startRequest(receiver, {
        method: 'POST',
        agent: false,
        signal: closeSignal,
        maxHeaderSize: MAX_HEADER_BYTES,
        lookup: lookupAllowed,
        headers: webhookHeaders(body, signature ?? signWebhook(secret, body)),
      });
    } catch {
      // Node.js rejects what `requireWebhookUrl` does not.
      return finish('invalid_url');
    }
    const fail = (error: NodeJS.ErrnoException) => finish(outcomeOf(error));
    request.on('error', fail);
    request.on('response', (response) => {
      httpStatus = response.statusCode ?? 0;
      server = response.headers.server?.toString();
      const decoder = new StringDecoder('utf8');
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (responseText.length < MAX_KEPT_CHARACTERS) {
          responseText = (responseText + decoder.write(chunk)).slice(0, MAX_KEPT_CHARACTERS);
        }
        if (bytes > MAX_BODY_BYTES) {
          finish();
          response.destroy();
        }
      });
      response.on('end', () => finish());
      response.on('error', fail);
    });
    // A 101 has no response event.
    request.on('upgrade', ({ statusCode = 0 }, socket) => {
      httpStatus = statusCode;
      finish();
      socket.destroy();
    });
    request.end(body);
  });
}

export function webhookHeaders(body: string, signature: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'User-Agent': `sandlot/${VERSION}`,
    [WEBHOOK_SIGNATURE_HEADER]: signature,
  };
}

function outcomeOfStatus(status: number): string {
  return status === 200 ? 'ok' : `status ${status}`;
}

/** Returns the outcome of an attempt that failed without a status. */
export function outcomeOf(error: NodeJS.ErrnoException): string {
  const code = error.code ?? '';
  if (/^EPROTO$|^ERR_(?:TLS|SSL)|CERT|VERIFY/.test(code)) return 'tls_failed';
  if (code.startsWith('HPE_')) return 'not_http';
  return OUTCOME_BY_ERROR_CODE[code] ?? 'connection_failed';
}

/** Resolves a host name to its allowed addresses. Addresses in a URL are not resolved: `requireWebhookUrl` checks them. */
export const lookupAllowed: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [], 0);
    const allowed = addresses.filter(({ address }) => !isForbiddenAddress(address));
    const [first] = allowed;
    if (first && options.all) return callback(null, allowed);
    if (first) return callback(null, first.address, first.family);
    const rejection: NodeJS.ErrnoException = new Error(`${hostname} is a forbidden address`);
    rejection.code = FORBIDDEN_ADDRESS_CODE;
    callback(rejection, [], 0);
  });
};

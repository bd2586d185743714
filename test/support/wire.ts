import http from 'node:http';
import type { InProcessSandbox } from '../../src/index.ts';
import { checkResponse } from './openapi/watch.ts';

export interface WireRequest {
  method: string;
  /** The request target, put on the wire as it is. */
  target: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

/** Sends over a socket what `fetch` would normalise or reject. The sandbox must listen (`port: 0`). */
export function overWire(
  sandbox: InProcessSandbox,
  { method, target, headers = {}, body }: WireRequest,
): Promise<Response> {
  const { hostname, port } = new URL(sandbox.url);
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const answered = new Promise<Response>((resolve, reject) => {
    const request = http.request(
      { hostname, port, method, path: target, agent: false, headers: { ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const received = new Headers();
          for (const [name, values = []] of Object.entries(response.headersDistinct)) {
            for (const value of values) received.append(name, value);
          }
          const text = chunks.length > 0 ? Buffer.concat(chunks) : null;
          resolve(new Response(text, { status: response.statusCode ?? 0, headers: received }));
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
  return answered.then(async (response) => {
    const sent = body === undefined ? undefined : Buffer.from(body).toString();
    await checkResponse({ method, target, sent }, response);
    return response;
  });
}
